// All processes call the same functions in the same order, so that whatever is gathered or spread
// finds its counterpart. Those that are not first are silent: what they have to say goes to the
// first one, which shows it. A process that is alone just does the work.
#include "tools/processes.h"

#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <utility>

#include "interp/replica/literal_packet.h"
#include "support/status_macros.h"
#include "tools/input_files.h"

namespace hlo::tools {
namespace {

void AddSaid(const Session::Said& said, PacketWriter& writer) {
  writer.AddText(said.out).AddText(said.err).Add(said.exit_code);
}

Session::Said TakeSaid(PacketReader& reader) {
  Session::Said said;
  said.out = reader.TakeText();
  said.err = reader.TakeText();
  said.exit_code = reader.Take<int>();
  return said;
}

}  // namespace

Processes::Processes(Session& session, std::unique_ptr<ProcessLink> link) : session_(session) {
  if (link == nullptr) return;
  group_.emplace(std::move(link));
  if (!is_first()) session.KeepSilent();
}

// A file travels with what it is called; without a name there is none any more.
void Processes::ForEachInput(const std::function<void(InputFile&)>& work) {
  if (!group_) return session_.ForEachInput(work);
  const auto spread = [&](const InputFile* file) {
    return group_->Spread([&](PacketWriter& writer) {
      writer.Add(file != nullptr);
      if (file != nullptr) writer.AddText(file->path).AddText(file->name).AddText(file->text);
    });
  };
  if (is_first()) {
    session_.ForEachInput([&](InputFile& file) {
      spread(&file);
      work(file);
    });
    spread(nullptr);
    return;
  }
  for (;;) {
    ProcessGroup::Incoming incoming = spread(nullptr);
    if (!incoming.reader().Take<bool>()) return;
    InputFile file;
    file.path = incoming.reader().TakeText();
    file.name = incoming.reader().TakeText();
    file.text = incoming.reader().TakeText();
    file.sources = MakeSources(file.name, file.text, session_.splits_input_files());
    work(file);
  }
}

void Processes::Report(const DiagnosticSink& sink, size_t mark) {
  session_.Report(std::span(sink.diagnostics()).subspan(mark));
}

bool Processes::Agree(DiagnosticSink& sink, const std::function<bool()>& work) {
  if (!group_) return work();
  const size_t mark = sink.diagnostics().size();
  if (!is_first()) session_.TakeSaid();  // the first one says it
  const bool is_fine = work();
  if (!is_first() && !is_fine) Report(sink, mark);
  std::vector<ProcessGroup::Incoming> answers = group_->Gather([&](PacketWriter& writer) {
    writer.Add(is_fine);
    if (!is_first()) AddSaid(session_.TakeSaid(), writer);
  });
  bool is_fine_everywhere = is_fine;
  for (ProcessGroup::Incoming& answer : answers) {
    if (answer.reader().Take<bool>()) continue;
    if (answer.from() != 0 && is_fine_everywhere) session_.Show(TakeSaid(answer.reader()));
    is_fine_everywhere = false;
  }
  return group_->Spread([&](PacketWriter& writer) { writer.Add(is_fine_everywhere); })
      .reader()
      .Take<bool>();
}

void Processes::InTurn(DiagnosticSink& sink, const std::function<void()>& work) {
  if (!group_) return work();
  const size_t mark = sink.diagnostics().size();
  if (!is_first()) session_.TakeSaid();
  work();
  if (!is_first()) Report(sink, mark);
  std::vector<ProcessGroup::Incoming> answers = group_->Gather([&](PacketWriter& writer) {
    if (!is_first()) AddSaid(session_.TakeSaid(), writer);
  });
  for (ProcessGroup::Incoming& answer : answers) {
    if (answer.from() != 0) session_.Show(TakeSaid(answer.reader()));
  }
}

absl::StatusOr<std::vector<Literal>> Processes::Gather(std::vector<Literal> own, const Shape& shape,
                                                       int64_t count) {
  if (!group_) return own;
  std::vector<ProcessGroup::Incoming> answers = group_->Gather([&](PacketWriter& writer) {
    if (is_first()) return;
    for (const Literal& literal : own) AddLiteral(literal, writer);
  });
  for (ProcessGroup::Incoming& answer : answers) {
    if (answer.from() == 0) continue;
    const ParticipantRange block = BlockOf(answer.from(), group_->size(), count);
    for (int64_t i = 0; i < block.count; ++i) {
      HLO_ASSIGN_OR_RETURN(Literal literal, TakeLiteral(shape, answer.reader()));
      own.push_back(std::move(literal));
    }
  }
  return own;
}

void Processes::Abort(std::string_view message) {
  if (!group_) return;
  fmt::print(stderr, "hlo-run: process {}: {}\n", group_->rank(), message);
  std::fflush(nullptr);
  group_->Abort(kExitEnvironment);
}

}  // namespace hlo::tools
