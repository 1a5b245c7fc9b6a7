// The run has a thread of its own, so that Python's can look for signals.
#include "python/run.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "interp/arguments.h"
#include "interp/backends.h"
#include "interp/executor.h"
#include "interp/inspect/first_nan.h"
#include "interp/make_plan.h"
#include "interp/run_limits.h"
#include "printer/printer.h"
#include "python/numpy_arrays.h"
#include "support/status_macros.h"
#include "support/thread_pool.h"
#include "values/cast.h"
#include "values/value_shape.h"

namespace hlo::python {
namespace {

namespace py = pybind11;

// Calls `trace` with every result.
class TraceCaller final : public StepObserver {
 public:
  TraceCaller(const Module& module, py::object trace) : module_(module), trace_(std::move(trace)) {}

  absl::Status AfterStep(const Step& step, const Evaluation& evaluation) override {
    const py::gil_scoped_acquire gil;
    try {
      for (const MutableArrayRef& result : evaluation.results()) {
        absl::StatusOr<Literal> copy =
            Literal::Uninitialized(Shape::ArrayWithDefaultLayout(result.element_type, result.dims));
        if (!copy.ok()) return copy.status();
        std::copy_n(result.bytes, copy->byte_size(), copy->bytes());
        trace_(py::str(std::string(module_.instruction(step.instruction).name)),
               ArrayOf(*std::move(copy)));
      }
    } catch (py::error_already_set& error) {
      error_ = std::make_unique<py::error_already_set>(error);
      return absl::CancelledError("the trace function raised an exception");
    }
    return absl::OkStatus();
  }

  // Raises what the function raised.
  void Rethrow() {
    if (error_ != nullptr) throw py::error_already_set(*error_);
  }

 private:
  const Module& module_;
  py::object trace_;
  std::unique_ptr<py::error_already_set> error_;
};

// Runs while another thread asks Python now and then whether a signal came.
absl::Status RunInterruptibly(Executor& executor, DeviceContext& device,
                              std::span<const Literal> arguments) {
  absl::Status status;
  std::mutex mutex;
  std::condition_variable finished;
  bool is_finished = false, has_signal = false;
  {
    const py::gil_scoped_release no_gil;
    std::thread worker([&] {
      absl::Status result = executor.Run(arguments);
      const std::lock_guard lock(mutex);
      status = std::move(result);
      is_finished = true;
      finished.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_finished; })) {
      lock.unlock();
      {
        const py::gil_scoped_acquire gil;
        has_signal = has_signal || PyErr_CheckSignals() != 0;
      }
      if (has_signal) device.Interrupt();
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (has_signal) throw py::error_already_set();
  return status;
}

const Instruction& ParameterOf(const Module& module, size_t number) {
  return module.instruction(module.entry().parameters[number]);
}

absl::StatusOr<Literal> MakeArgument(const py::handle& pair, const Shape& shape, CastRule rule) {
  const auto [value, is_guess] = pair.cast<std::pair<py::object, bool>>();
  HLO_ASSIGN_OR_RETURN(Literal literal, LiteralOf(value, shape));
  HLO_ASSIGN_OR_RETURN(CastValue cast, CastTo(std::move(literal), shape,
                                              is_guess ? CastRule::kAny : rule, "cast=\"any\""));
  return FitToShape(std::move(cast.value), shape);
}

std::optional<std::vector<Literal>> MakeArguments(const Module& module, const py::tuple& given,
                                                  const RunSettings& settings,
                                                  DiagnosticSink& sink) {
  const size_t count = module.entry().parameters.size();
  const std::optional<FakeKind> fake = ParseFakeKind(settings.fake);
  if (given.size() > count || (given.size() < count && !fake)) {
    return sink.Error(Rule::kRunInput, module.entry().name_range,
                      "the program has {} parameters, {} arguments are given", count, given.size());
  }
  const ArgumentGenerator generator(module, fake.value_or(FakeKind::kRandom), settings.seed);
  std::vector<Literal> arguments;
  for (size_t i = 0; i < count; ++i) {
    const Instruction& parameter = ParameterOf(module, i);
    absl::StatusOr<Literal> argument =
        i < given.size() ? MakeArgument(given[i], *parameter.shape, *ParseCastRule(settings.cast))
                         : generator.Make(static_cast<int64_t>(i));
    if (!argument.ok()) {
      return sink.Error(Rule::kRunInput, parameter.range, "input for parameter {} (`{}`): {}", i,
                        parameter.name, std::string(argument.status().message()));
    }
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

}  // namespace

py::object Run(Module& module, const py::tuple& given, const RunSettings& settings,
               DiagnosticSink& sink) {
  const std::optional<RunnableModule> runnable = RunnableModule::Verify(module, sink);
  if (!runnable) return py::none();
  const int64_t limit = settings.max_byte_size.value_or(DefaultMemoryLimit());
  const std::optional<FakeKind> fake = ParseFakeKind(settings.fake);
  if (!FillConstants(module, fake.value_or(FakeKind::kRandom), settings.seed, limit, sink)) {
    return py::none();
  }
  const std::optional<std::vector<Literal>> arguments =
      MakeArguments(module, given, settings, sink);
  if (!arguments) return py::none();
  PlanOptions options;
  if (!settings.backend.empty()) options.backend = FindBackend(settings.backend);
  options.fuses = settings.trace.is_none() && !settings.first_nan;  // single instructions are seen
  const std::optional<Plan> plan =
      MakePlanWithin(*runnable, sink, options, /*participants=*/1, limit);
  if (!plan || !FitsMemory(*plan, /*participants=*/1, limit, sink)) return py::none();

  ThreadPool threads(settings.threads.value_or(ThreadPool::ProcessorCount()));
  DeviceContext device;
  device.set_seed(settings.seed);
  device.set_thread_pool(&threads);
  TraceCaller trace(module, settings.trace);
  std::vector<const Literal*> given_arguments;
  for (const Literal& argument : *arguments) given_arguments.push_back(&argument);
  std::unique_ptr<FirstNanFinder> nan_finder;
  StepObserver* observer = settings.trace.is_none() ? nullptr : &trace;
  if (settings.first_nan) {
    nan_finder = std::make_unique<FirstNanFinder>(
        *plan, given_arguments, NanKind::kNan,
        [](const Literal& literal) { return PrintResultLiteral(literal, 16); });
    observer = nan_finder.get();
  }
  absl::StatusOr<std::unique_ptr<Executor>> executor = Executor::Create(*plan, device, observer);
  if (!executor.ok()) {
    ReportStop(module, InstructionId(), executor.status(), sink);
    return py::none();
  }
  const absl::Status status = RunInterruptibly(**executor, device, *arguments);
  trace.Rethrow();
  if (nan_finder != nullptr && nan_finder->found()) {
    nan_finder->Report(sink);
    return py::none();
  }
  if (!status.ok()) {
    ReportStop(module, (*executor)->stopped_at(), status, sink);
    return py::none();
  }
  absl::StatusOr<Literal> result = (*executor)->Result();
  if (result.ok()) return ArrayOf(*std::move(result));
  ReportStop(module, InstructionId(), result.status(), sink);
  return py::none();
}

}  // namespace hlo::python
