// What verifies is planned and run, with limits on memory, iterations and work, without harm.
//
// Inputs come from a mutator that knows HLO (text_mutator.h) and tries again until one verifies;
// the few that never do show what happens before that. The text it tries lies in a mapped file
// beside the artifacts, `<prefix>candidate`: should reading or verifying it crash, it is there.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interp/arguments.h"
#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/inspect/estimate.h"
#include "interp/make_plan.h"
#include "interp/plan/runnable_module.h"
#include "interp/replica/replica_run.h"
#include "ir/leaves.h"
#include "ir/participant_groups.h"
#include "parser/parser.h"
#include "printer/printer.h"
#include "tools/fuzz/text_mutator.h"

namespace {

constexpr int64_t kMaxByteSize = int64_t{4} << 20;
constexpr int64_t kMaxPlanByteSize = int64_t{32} << 20;
constexpr int64_t kMaxIterations = 30;
constexpr int64_t kMaxWork = 2'000'000;

// Counts what the mutator's inputs come to, for the line at the end.
struct Statistics {
  int64_t inputs = 0, parsed = 0, verified = 0, planned = 0, started = 0, finished = 0;

  ~Statistics() {
    std::fprintf(stderr,
                 "fuzz_run: %lld inputs, %lld parsed, %lld verified, %lld planned, %lld started, "
                 "%lld ran to the end\n",
                 static_cast<long long>(inputs), static_cast<long long>(parsed),
                 static_cast<long long>(verified), static_cast<long long>(planned),
                 static_cast<long long>(started), static_cast<long long>(finished));
  }
};
Statistics g_statistics;

std::optional<hlo::Module> Parse(std::string_view text) {
  auto source = std::make_shared<hlo::SourceText>("fuzz", std::string(text));
  hlo::DiagnosticSink sink(source);
  return hlo::ParseModule(source, sink);
}

bool Verifies(std::string_view text) {
  const std::optional<hlo::Module> module = Parse(text);
  if (!module) return false;
  hlo::DiagnosticSink sink(module->source());
  return hlo::RunnableModule::Verify(*module, sink).has_value();
}

int64_t ByteSize(const hlo::Shape& shape) {
  return std::min(hlo::DenseByteSizeOfLeaves(shape), kMaxByteSize + 1);
}

// One number for an array takes the address space of all its elements.
bool HasSmallConstants(const hlo::Module& module) {
  return std::ranges::all_of(module.instructions(), [](const hlo::Instruction& instruction) {
    return instruction.opcode != hlo::Opcode::kConstant ||
           ByteSize(*instruction.shape) <= kMaxByteSize;
  });
}

bool FillConstants(hlo::Module& module) {
  const std::vector<hlo::InstructionId> elided = hlo::ElidedConstants(module);
  int64_t byte_size = 0;
  for (hlo::InstructionId id : elided) {
    byte_size += ByteSize(*module.instruction(id).shape);
    if (byte_size > kMaxByteSize) return false;
  }
  return hlo::FillElidedConstants(module, elided, hlo::FakeKind::kRandom, 1).ok();
}

// An item for every infeed and for every receive from the host.
void FillQueues(const hlo::Module& module, hlo::DeviceContext& device) {
  for (const hlo::Instruction& instruction : module.instructions()) {
    const bool is_infeed = instruction.opcode == hlo::Opcode::kInfeed;
    if (!is_infeed && instruction.opcode != hlo::Opcode::kRecv) continue;
    if (!instruction.shape->IsTuple() || instruction.shape->element_count() == 0) continue;
    const hlo::Shape& shape = instruction.shape->element(0);
    if (ByteSize(shape) > kMaxByteSize / 16) continue;
    absl::StatusOr<hlo::Literal> item = hlo::Literal::Zeros(shape);
    if (!item.ok()) continue;
    if (is_infeed) {
      device.infeed().push_back(*std::move(item));
    } else {
      device.from_host(instruction.Get<hlo::Attr::kChannelId>()).push_back(*std::move(item));
    }
  }
}

bool FitsMemory(const hlo::Plan& plan) {
  for (int64_t part : {plan.arena_byte_size, plan.argument_byte_size, plan.constant_byte_size,
                       plan.scratch_byte_size}) {
    if (part > kMaxByteSize) return false;
  }
  return true;
}

// What a run is made of follows from the text, so that each is tried the same way again.
class Choices {
 public:
  explicit Choices(std::string_view text) {
    for (char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }

  size_t Below(size_t count) {
    const size_t choice = hash_ % count;
    hash_ /= count;
    return choice;
  }

 private:
  uint64_t hash_ = 14695981039346656037u;
};

void Prepare(const hlo::Module& module, bool has_zeros, hlo::DeviceContext& device) {
  device.set_max_iterations(kMaxIterations);
  device.set_max_work(kMaxWork);
  device.set_zeros_for_unknown_calls(has_zeros);
  FillQueues(module, device);
}

void PrintResult(const absl::StatusOr<hlo::Literal>& result) {
  ++g_statistics.finished;
  if (result.ok()) hlo::PrintResultLiteral(*result, /*shorten_above=*/1000);
}

void RunOnOne(const hlo::Plan& plan, std::span<const hlo::Literal> arguments, bool has_zeros) {
  hlo::DeviceContext device;
  Prepare(*plan.module, has_zeros, device);
  const absl::StatusOr<std::unique_ptr<hlo::Executor>> executor =
      hlo::Executor::Create(plan, device);
  if (!executor.ok()) return;
  ++g_statistics.started;
  if ((*executor)->Run(arguments).ok()) PrintResult((*executor)->Result());
}

void RunOnSeveral(const hlo::Plan& plan, std::span<const hlo::Literal> arguments, bool has_zeros,
                  const hlo::DeviceCounts& counts) {
  hlo::ReplicaRun run(plan, counts);
  for (int64_t id = 0; id < run.participant_count(); ++id) {
    Prepare(*plan.module, has_zeros, run.device(id));
  }
  if (!run.Start().ok()) return;
  ++g_statistics.started;
  std::vector<const hlo::Literal*> given;
  for (const hlo::Literal& argument : arguments) given.push_back(&argument);
  const std::vector<std::vector<const hlo::Literal*>> everybodys(
      static_cast<size_t>(run.participant_count()), given);
  if (run.Run(everybodys).ok()) PrintResult(run.Result(0));
}

// The grid that the module asks for, where it is small enough for a thread each; else one device.
hlo::DeviceCounts CountsOf(const hlo::Module& module) {
  const hlo::ParticipantNeeds needs = hlo::FindParticipantNeeds(module, {});
  const hlo::DeviceCounts& counts = needs.counts;
  const bool is_small = needs.has_participants && counts.replicas <= 4 && counts.partitions <= 4 &&
                        counts.replicas * counts.partitions <= 4;
  return is_small ? counts : hlo::DeviceCounts();
}

void RunPlan(const hlo::Plan& plan, Choices& choices) {
  constexpr hlo::FakeKind kKinds[] = {hlo::FakeKind::kRandom, hlo::FakeKind::kPattern,
                                      hlo::FakeKind::kIota, hlo::FakeKind::kNan,
                                      hlo::FakeKind::kZeros};
  const hlo::ArgumentGenerator generator(*plan.module, kKinds[choices.Below(std::size(kKinds))], 1);
  const absl::StatusOr<std::vector<hlo::Literal>> arguments = generator.MakeAll();
  if (!arguments.ok()) return;
  const bool has_zeros = choices.Below(2) == 0;
  const hlo::DeviceCounts counts = CountsOf(*plan.module);
  if (counts.replicas * counts.partitions > 1) {
    RunOnSeveral(plan, *arguments, has_zeros, counts);
  } else {
    RunOnOne(plan, *arguments, has_zeros);
  }
}

// The text being tried, for after a crash.
class Candidate {
 public:
  explicit Candidate(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, kByteSize) != 0) return;
    void* memory = mmap(nullptr, kByteSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) memory_ = static_cast<char*>(memory);
    close(file);
  }
  void Set(std::string_view text) {
    if (memory_ == nullptr) return;
    const size_t size = std::min(text.size(), kByteSize - 1);
    std::memcpy(memory_, text.data(), size);
    memory_[size] = '\0';
  }

 private:
  static constexpr size_t kByteSize = size_t{1} << 20;
  char* memory_ = nullptr;
};
std::unique_ptr<Candidate> g_candidate;

// Changes `text` until it verifies, with a few more attempts than it usually takes.
template <typename Change>
std::string Changed(std::string_view text, size_t max_size, hlo::fuzz::Random& random,
                    const Change& change) {
  constexpr int kMaxAttempts = 12;
  std::string candidate;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    candidate = change(text);
    for (size_t more = random.Below(3); more > 0; --more) {
      candidate = hlo::fuzz::Mutate(candidate, random);
    }
    if (candidate.empty() || candidate.size() > max_size || candidate == text) continue;
    g_candidate->Set(candidate);
    if (Verifies(candidate)) return candidate;
  }
  return candidate.empty() || candidate.size() > max_size || !random.OneIn(20) ? std::string(text)
                                                                               : candidate;
}

std::string_view AsText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

size_t Store(const std::string& text, uint8_t* out) {
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::string prefix;
  for (std::string_view argument : std::span(*argv, static_cast<size_t>(*argc))) {
    constexpr std::string_view kPrefixFlag = "-artifact_prefix=";
    if (argument.starts_with(kPrefixFlag)) prefix = argument.substr(kPrefixFlag.size());
  }
  g_candidate = std::make_unique<Candidate>(prefix + "candidate");
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  hlo::fuzz::Random random(seed);
  const std::string changed =
      Changed(AsText(data, size), max_size, random,
              [&](std::string_view text) { return hlo::fuzz::Mutate(text, random); });
  return Store(changed, data);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  hlo::fuzz::Random random(seed);
  const std::string_view other = AsText(data2, size2);
  const std::string changed =
      Changed(AsText(data1, size1), max_out_size, random,
              [&](std::string_view text) { return hlo::fuzz::CrossOver(text, other, random); });
  return changed.size() > max_out_size ? 0 : Store(changed, out);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = AsText(data, size);
  ++g_statistics.inputs;
  std::optional<hlo::Module> module = Parse(text);
  if (!module) return 0;
  ++g_statistics.parsed;
  hlo::DiagnosticSink sink(module->source());
  const std::optional<hlo::RunnableModule> runnable = hlo::RunnableModule::Verify(*module, sink);
  if (!runnable) return 0;
  ++g_statistics.verified;
  if (!HasSmallConstants(*module) || !FillConstants(*module)) return 0;
  Choices choices(text);
  const std::span<const hlo::Backend> backends = hlo::Backends();
  const hlo::Backend* const backend = &backends[choices.Below(backends.size())];
  // Small programs are seldom worth a library.
  const hlo::LibraryUse library_use =
      choices.Below(2) == 0 ? hlo::LibraryUse::kWherePossible : hlo::LibraryUse::kWhereFaster;
  const std::optional<hlo::Plan> plan = hlo::MakePlan(
      *runnable, sink,
      {.backend = backend, .max_byte_size = kMaxPlanByteSize, .library_use = library_use});
  if (!plan) return 0;
  ++g_statistics.planned;
  hlo::Estimate(*plan, /*participants=*/1).Json(/*limit=*/10);
  if (!FitsMemory(*plan)) return 0;
  RunPlan(*plan, choices);
  return 0;
}
