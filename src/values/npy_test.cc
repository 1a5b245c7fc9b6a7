// Element types there and back bit for bit, foreign byte and dimension orders, files cut off at
// each byte; and files that numpy wrote or reads, where there is a python3 that has it.
#include "values/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/write_file.h"
#include "values/files.h"
#include "values/zip.h"

namespace hlo {
namespace {

Shape ArrayOf(ElementType type, std::vector<int64_t> dims) {
  return Shape::ArrayWithDefaultLayout(type, dims);
}

// Elements with all kinds of bits.
Literal Sample(ElementType type, std::vector<int64_t> dims) {
  Literal literal = *Literal::Zeros(ArrayOf(type, std::move(dims)));
  for (int64_t i = 0; i < literal.byte_size(); ++i) {
    literal.bytes()[i] = static_cast<std::byte>(i * 37 + 11);
  }
  if (BitWidth(type) < 8) {
    for (int64_t i = 0; i < literal.byte_size(); ++i) {
      literal.bytes()[i] &= static_cast<std::byte>((1 << BitWidth(type)) - 1);
    }
    // Signed elements keep their sign in the whole byte.
    std::string bytes = *EncodeNpy(literal);
    literal = *DecodeNpy(bytes, &literal.shape());
  }
  if (type == ElementType::kPred) {
    for (bool& element : literal.elements<bool>())
      element = &element - literal.elements<bool>().data() > 2;
  }
  return literal;
}

TEST(NpyTest, EveryTypeComesBackBitForBit) {
  for (ElementType type : {
#define HLO_ARRAY_TYPE(Name, ...) ElementType::k##Name,
#define HLO_NON_ARRAY_TYPE(...)
#include "ir/element_types.def"
       }) {
    if (type == ElementType::kPred) continue;
    for (std::vector<int64_t> dims : {std::vector<int64_t>{}, {5}, {2, 3}, {0, 4}}) {
      Literal literal = Sample(type, dims);
      absl::StatusOr<std::string> bytes = EncodeNpy(literal);
      ASSERT_TRUE(bytes.ok());
      EXPECT_EQ((bytes->size() - static_cast<size_t>(literal.byte_size())) % 64, 0u);
      absl::StatusOr<Literal> back = DecodeNpy(*bytes);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(*back == literal) << ElementTypeName(type);
    }
  }
}

std::string Npy(std::string_view header, std::string_view data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes += std::string(version == 1 ? 1 : 3, '\0');
  return bytes + std::string(header) + std::string(data);
}

TEST(NpyTest, ReadsBigEndianAndFortranOrder) {
  std::string data("\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06", 12);
  for (char version : {1, 2, 3}) {
    absl::StatusOr<Literal> literal = DecodeNpy(
        Npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", data, version));
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->shape(), ArrayOf(ElementType::kS16, {2, 3}));
    // Columns 1 2, 3 4, 5 6.
    std::vector<int16_t> expected = {1, 3, 5, 2, 4, 6};
    EXPECT_TRUE(std::ranges::equal(literal->elements<int16_t>(), expected));
  }
}

TEST(NpyTest, DamagedFilesAreErrors) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  EXPECT_EQ(DecodeNpy("x").status().message(), "not a npy file");
  EXPECT_EQ(DecodeNpy(Npy(header, "1234")).status().message(),
            "`f32[2]` takes 8 bytes, the file has 4");
  EXPECT_EQ(DecodeNpy(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                          "(9223372036854775807,9223372036854775807), }",
                          ""))
                .status()
                .message(),
            "the number of elements of f32[9223372036854775807,9223372036854775807] exceeds 2^63 - "
            "1");
  EXPECT_EQ(
      DecodeNpy(Npy("{'descr': '<f4', 'shape': (99999999999999999999,)}", "")).status().message(),
      "the npy header is damaged: expected sizes below 2^63");
  EXPECT_EQ(DecodeNpy(Npy("{'descr': '<f4', 'shape': (2,)}", "12345678")).status().message(),
            "the npy header has no `fortran_order`");
  EXPECT_EQ(DecodeNpy(Npy("{'fortran_order': False, 'shape': ()}", "1234")).status().message(),
            "the npy header has no `descr`");
  EXPECT_EQ(DecodeNpy(Npy("{'descr': '<f4', 'fortran_order': False}", "1234")).status().message(),
            "the npy header has no `shape`");
  EXPECT_EQ(DecodeNpy(Npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "\x80\x04K."))
                .status()
                .message(),
            "a pickled object array (numpy type `|O`) is not read");
  EXPECT_EQ(DecodeNpy(Npy("{'descr': '<U4', 'fortran_order': False, 'shape': (), }", "aaaabbbb"))
                .status()
                .message(),
            "numpy type `<U4` has no element type here");
  const std::string whole = Npy(header, "12345678");
  const size_t data_begin = whole.size() - 8;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(DecodeNpy(whole.substr(0, size)).status().message(),
              size < 12 ? "not a npy file"
              : size < data_begin
                  ? "the npy header goes past the end of the file"
                  : fmt::format("`f32[2]` takes 8 bytes, the file has {}", size - data_begin));
  }
}

TEST(ZipTest, MembersComeBack) {
  NpzMembers members = {{"a", "some bytes"}, {"b", std::string(100000, 'x')}, {"c", ""}};
  absl::StatusOr<NpzMembers> back = DecodeZip(EncodeZip(members));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, members);
}

TEST(ZipTest, DamageIsNoticed) {
  std::string archive = EncodeZip({{"a", "some bytes"}});
  for (size_t i = 0; i < archive.size(); ++i) (void)DecodeZip(archive.substr(0, i));
  std::string flipped = archive;
  flipped[35] ^= 1;  // in the data
  EXPECT_EQ(std::string(DecodeZip(flipped).status().message()),
            "the zip archive is damaged: member `a.npy`: wrong checksum");
}

class NumpyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::string python : {"python3", "/usr/bin/python3"}) {
      if (std::system((python + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0)
        python_ = python;
    }
    if (python_.empty()) GTEST_SKIP() << "python3 with numpy is not there";
    directory_ = std::filesystem::temp_directory_path() / "hlokit_npy_test";
    std::filesystem::create_directories(directory_);
  }
  int Python(const std::string& code) {
    std::string script = (directory_ / "script.py").string();
    EXPECT_TRUE(WriteFileAtomically(script, "import numpy as np\n" + code).ok());
    return std::system(("cd '" + directory_.string() + "' && " + python_ + " script.py").c_str());
  }
  std::string Read(const std::string& name) {
    return ReadWholeFile((directory_ / name).string(), UINT64_MAX).value_or("");
  }
  std::string python_;
  std::filesystem::path directory_;
};

TEST_F(NumpyTest, ReadsWhatNumpyWrote) {
  ASSERT_EQ(Python("a = np.arange(6, dtype='f4').reshape(2, 3)\n"
                   "np.save('c.npy', a)\n"
                   "np.save('f.npy', np.asfortranarray(a))\n"
                   "np.save('be.npy', a.astype('>f8'))\n"
                   "np.save('bool.npy', np.array([True, False]))\n"
                   "np.save('scalar.npy', np.int64(-5))\n"
                   "np.save('half.npy', np.array([0.5, 65504], dtype='f2'))\n"
                   "np.save('complex.npy', np.array([1 + 2j], dtype='c8'))\n"
                   "np.savez('stored.npz', x=a, y=np.zeros((0, 3), 'i4'))\n"
                   "np.savez_compressed('packed.npz', x=a, big=np.ones(100000))\n"),
            0);
  std::vector<float> expected = {0, 1, 2, 3, 4, 5};
  for (const char* name : {"c.npy", "f.npy"}) {
    absl::StatusOr<Literal> literal = DecodeNpy(Read(name));
    ASSERT_TRUE(literal.ok()) << name << literal.status();
    EXPECT_TRUE(std::ranges::equal(literal->elements<float>(), expected)) << name;
  }
  EXPECT_EQ(DecodeNpy(Read("be.npy"))->elements<double>()[5], 5);
  EXPECT_TRUE(DecodeNpy(Read("bool.npy"))->elements<bool>()[0]);
  EXPECT_EQ(DecodeNpy(Read("scalar.npy"))->elements<int64_t>()[0], -5);
  EXPECT_EQ(static_cast<float>(DecodeNpy(Read("half.npy"))->elements<F16>()[1]), 65504);
  EXPECT_EQ(DecodeNpy(Read("complex.npy"))->elements<C64>()[0], C64(1, 2));
  for (const char* name : {"stored.npz", "packed.npz"}) {
    absl::StatusOr<NpzMembers> members = DecodeZip(Read(name));
    ASSERT_TRUE(members.ok()) << members.status();
    ASSERT_EQ(members->size(), 2u);
    EXPECT_EQ((*members)[0].first, "x");
    absl::StatusOr<Literal> literal = DecodeNpy((*members)[0].second);
    ASSERT_TRUE(literal.ok());
    EXPECT_TRUE(std::ranges::equal(literal->elements<float>(), expected));
  }
}

TEST_F(NumpyTest, NumpyReadsWhatWeWrite) {
  Literal numbers = *Literal::Zeros(ArrayOf(ElementType::kF32, {2, 2}));
  numbers.elements<float>()[3] = 2.5;
  Literal narrow = *Literal::Zeros(ArrayOf(ElementType::kBf16, {3}));
  narrow.elements<Bf16>()[1] = Bf16(1.0f);
  std::string archive = EncodeZip({{"x", *EncodeNpy(numbers)}, {"n", *EncodeNpy(narrow)}});
  ASSERT_TRUE(WriteFileAtomically((directory_ / "ours.npz").string(), archive).ok());
  EXPECT_EQ(Python("z = np.load('ours.npz')\n"
                   "assert z['x'].dtype == np.float32 and z['x'].tolist() == [[0, 0], [0, 2.5]]\n"
                   "assert z['n'].shape == (3,) and z['n'].dtype.itemsize == 2\n"
                   "assert z['n'].view('u2').tolist() == [0, 0x3f80, 0]\n"),
            0);
}

}  // namespace
}  // namespace hlo
