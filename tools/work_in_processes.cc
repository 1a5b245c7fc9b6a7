// Children write into files in memory, not into pipes: nobody has to read along, and what they said
// outlives them. SIGINT and SIGCHLD are blocked here and waited for, so that none falls between two
// looks. No piece is begun far ahead of the one that is delivered next.
#include "tools/work_in_processes.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <string_view>
#include <utility>

namespace hlo::tools {
namespace {

// Text that one process writes and another one reads, in memory.
class SharedText {
 public:
  SharedText() : fd_(memfd_create("hlokit", MFD_CLOEXEC)) {}
  SharedText(SharedText&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  SharedText& operator=(SharedText&&) = delete;
  ~SharedText() {
    if (fd_ >= 0) close(fd_);
  }

  bool is_open() const { return fd_ >= 0; }

  // False: the machine has no room for it.
  bool Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = write(fd_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  std::string Read() const {
    const off_t size = lseek(fd_, 0, SEEK_END);
    std::string text(size > 0 ? static_cast<size_t>(size) : 0, '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t count =
          pread(fd_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
    return text;
  }

 private:
  int fd_;
};

// Signals that are waited for, as long as one is there, instead of handled.
class WaitedSignals {
 public:
  WaitedSignals() {
    sigemptyset(&waited_);
    sigaddset(&waited_, SIGINT);
    sigaddset(&waited_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &waited_, &previous_);
  }
  ~WaitedSignals() { Restore(); }
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  void Restore() const { sigprocmask(SIG_SETMASK, &previous_, nullptr); }

  siginfo_t Wait() const {
    siginfo_t info = {};
    while (sigwaitinfo(&waited_, &info) < 0) {
    }
    return info;
  }

 private:
  sigset_t waited_;
  sigset_t previous_;
};

class Children {
 public:
  explicit Children(const std::function<ProcessOutput(int64_t)>& work) : work_(work) {}

  int64_t running() const { return static_cast<int64_t>(running_.size()); }

  void Start(int64_t number) {
    Child child{number, {}, {}};
    const pid_t parent = getpid();
    const pid_t id = child.out.is_open() && child.err.is_open() ? fork() : -1;
    if (id == 0) Work(child, parent);
    if (id < 0) {
      ended_[number].error = errno;
    } else {
      running_.emplace(id, std::move(child));
    }
  }

  // Until a child has ended, or somebody wants an end of all.
  void Wait() {
    const siginfo_t info = signals_.Wait();
    if (info.si_signo == SIGINT) return Interrupt(/*have_it=*/info.si_code == SI_KERNEL);
    int status = 0;  // one signal may stand for several children
    for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;) Collect(id, status);
  }

  bool is_interrupted() const { return is_interrupted_; }

  // How that one ended; nothing: it has not.
  std::map<int64_t, ProcessEnd>& ended() { return ended_; }

 private:
  struct Child {
    int64_t number;
    SharedText out, err;
  };

  [[noreturn]] void Work(const Child& child, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has ended already
    signals_.Restore();
    const ProcessOutput output = work_(child.number);
    if (!child.out.Write(output.out) || !child.err.Write(output.err)) raise(SIGKILL);
    _exit(output.exit_code);
  }

  void Collect(pid_t id, int status) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    ProcessEnd& end = ended_[found->second.number];
    end.output = {found->second.out.Read(), found->second.err.Read(),
                  WIFEXITED(status) ? WEXITSTATUS(status) : 0};
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    running_.erase(found);
  }

  // A terminal sends its signal to children, too.
  void Interrupt(bool have_it) {
    is_interrupted_ = true;
    if (have_it) return;
    for (const auto& [id, child] : running_) kill(id, SIGINT);
  }

  const std::function<ProcessOutput(int64_t)>& work_;
  const WaitedSignals signals_;
  std::map<pid_t, Child> running_;
  std::map<int64_t, ProcessEnd> ended_;
  bool is_interrupted_ = false;
};

}  // namespace

void WorkInProcesses(int64_t process_count, int64_t count,
                     const std::function<ProcessOutput(int64_t)>& work,
                     const std::function<void(int64_t, const ProcessEnd&)>& deliver) {
  // What is done does not pile up behind a slow first one.
  constexpr int64_t kAhead = 4;
  Children children(work);
  int64_t begun = 0, delivered = 0;
  const auto may_begin = [&] {
    return begun < count && children.running() < process_count &&
           begun < delivered + kAhead * process_count && !children.is_interrupted();
  };
  for (;;) {
    while (may_begin()) children.Start(begun++);
    auto& ended = children.ended();
    for (; ended.contains(delivered); ++delivered) {
      deliver(delivered, ended.extract(delivered).mapped());
    }
    if (children.running() > 0) {
      children.Wait();
    } else if (!may_begin()) {
      return;
    }
  }
}

}  // namespace hlo::tools
