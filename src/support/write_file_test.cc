// In a folder of its own, where a temporary file left behind shows. Other writers are threads, and
// files as a killed process leaves them.
#include "support/write_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

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

TEST_F(WriteFileTest, RemovesWhatAKilledWriterLeft) {
  std::ofstream(Path("x.hlokit-tmp")) << "half a fi";
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "whole").ok());
  EXPECT_EQ(Read("x"), "whole");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(WriteFileTest, WaitsForAnotherWriter) {
  const int fd = open(Path("x.hlokit-tmp").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  std::thread other([&] {
    usleep(50'000);
    EXPECT_FALSE(fs::exists(Path("x")));
    EXPECT_EQ(rename(Path("x.hlokit-tmp").c_str(), Path("x").c_str()), 0);
    close(fd);
  });
  ASSERT_TRUE(WriteFileAtomically(Path("x"), "last").ok());
  other.join();
  EXPECT_EQ(Read("x"), "last");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(WriteFileTest, WritersOfOneFileTakeTurns) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        EXPECT_TRUE(
            WriteFileAtomically(Path("x"), std::string(1000, static_cast<char>('a' + i))).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string text = Read("x");
  EXPECT_EQ(text, std::string(1000, text[0]));
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
