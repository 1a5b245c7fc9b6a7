// Reported from two stages, hence here: by the parser where nobody goes on with a broken module,
// otherwise by the verifier, once it knows that the root's own shape is not to blame.
#include "ir/recovered_module.h"

#include "ir/rule.h"

namespace hlo {

Failure ReportClash(const SignatureClash& clash, const Module& module, DiagnosticSink& sink) {
  const Instruction& root = module.instruction(clash.root);
  sink.Error(Rule::kCompSignatureResult, clash.promised_range,
             "the signature of `{}` promises `{}`, its root `{}` has `{}`", clash.computation,
             ShapeText(*clash.promised), root.name, ShapeText(*root.shape));
  sink.Note(root.name_range, "the root is here");
  return Failure();
}

}  // namespace hlo
