#include "support/write_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hlo {
namespace {

namespace fs = std::filesystem;

class WriteFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "write_file_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string Path(std::string_view name) const { return (directory_ / name).string(); }
  std::string Read(std::string_view name) const {
    std::stringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }

  fs::path directory_;
};

TEST_F(WriteFileTest, ReplacesAFileAndKeepsItsMode) {
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "old").ok());
  fs::permissions(Path("x"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "new").ok());
  EXPECT_EQ(Read("x"), "new");
  EXPECT_EQ(fs::status(Path("x")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(WriteFileTest, FollowsLinks) {
  fs::create_directory(Path("d"));
  fs::create_symlink("d/x", Path("link"));
  fs::create_symlink("link", Path("link_of_link"));
  ASSERT_TRUE(WriteFileAtomically(Path("link_of_link"), "made").ok());  // d/x is not there yet
  EXPECT_EQ(Read("d/x"), "made");
  ASSERT_TRUE(WriteFileAtomically(Path("link_of_link"), "replaced").ok());
  EXPECT_EQ(Read("d/x"), "replaced");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_TRUE(fs::is_symlink(Path("link_of_link")));
}

TEST_F(WriteFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(WriteFileAtomically(Path("no/x"), "").message(),
            "cannot write `" + Path("no/x") + "`: No such file or directory");
  EXPECT_EQ(WriteFileAtomically(Path(""), "").message(),
            "cannot write `" + Path("") + "`: Is a directory");
  fs::create_symlink("loop", Path("loop"));
  EXPECT_EQ(WriteFileAtomically(Path("loop"), "").message(),
            "cannot write `" + Path("loop") + "`: Too many levels of symbolic links");
}

TEST_F(WriteFileTest, DevicesStay) {
  ASSERT_TRUE(WriteFileAtomically("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace hlo
