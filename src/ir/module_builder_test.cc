// What is there after a change: names, users, operands, what was erased or moved, clones. Nearly
// all tests change one small module, which each makes anew.
#include "ir/module_builder.h"

#include <gtest/gtest.h>

#include "ir/users.h"

namespace hlo {
namespace {

const Shape kScalar = Shape::Scalar(ElementType::kF32);

// main(x) = (x + x) * x, with a reducer that an attribute names.
struct Example {
  ModuleBuilder builder{"example"};
  ComputationId main, reducer;
  InstructionId x, sum, product;

  Example() {
    reducer = builder.AddComputation("reducer");
    const InstructionId a = builder.AddParameter(reducer, kScalar, "a");
    const InstructionId b = builder.AddParameter(reducer, kScalar, "b");
    builder.SetRoot(reducer, builder.Add(reducer, Opcode::kAdd, kScalar, {a, b}));
    main = builder.AddComputation("main");
    x = builder.AddParameter(main, kScalar, "x");
    sum = builder.Add(main, Opcode::kAdd, kScalar, {x, x});
    product = builder.Add(main, Opcode::kMultiply, kScalar, {sum, x});
    builder.SetRoot(main, product);
    builder.SetEntry(main);
  }
};

std::vector<InstructionId> OperandsOf(const Module& module, InstructionId id) {
  std::vector<InstructionId> operands;
  for (const Operand& operand : module.instruction(id).operands) operands.push_back(operand.id);
  return operands;
}

std::vector<InstructionId> ToVector(std::span<const InstructionId> ids) {
  return {ids.begin(), ids.end()};
}

TEST(ModuleBuilder, NamesAreUniqueAndFit) {
  Example e;
  EXPECT_EQ(e.builder.instruction(e.sum).name, "add.1");  // the reducer's is `add`
  const InstructionId odd = e.builder.Add(e.main, Opcode::kNegate, kScalar, {e.x}, "1 x");
  EXPECT_EQ(e.builder.instruction(odd).name, "a_x");  // `__` is reserved (grammar.md 7.2)
  EXPECT_EQ(e.builder.module().computation(e.builder.AddComputation("main")).name, "main.1");
}

TEST(ModuleBuilder, ParametersAreNumbered) {
  Example e;
  const InstructionId y = e.builder.AddParameter(e.main, kScalar, "y");
  EXPECT_EQ(e.builder.instruction(y).Get<Attr::kParameterNumber>(), 1);
  e.builder.SetOperands(e.sum, std::vector{y, y});
  e.builder.SetOperands(e.product, std::vector{e.sum, y});
  e.builder.Erase(e.x);
  EXPECT_EQ(e.builder.instruction(y).Get<Attr::kParameterNumber>(), 0);
  EXPECT_EQ(e.builder.module().computation(e.main).parameters, std::vector{y});
}

TEST(ModuleBuilder, UsersFollowChanges) {
  Example e;
  EXPECT_EQ(ToVector(e.builder.UsersOf(e.x)), (std::vector{e.sum, e.product}));
  e.builder.SetOperand(e.product, 1, e.sum);
  EXPECT_EQ(ToVector(e.builder.UsersOf(e.x)), std::vector{e.sum});
  EXPECT_EQ(ToVector(e.builder.UsersOf(e.sum)), std::vector{e.product});
}

TEST(ModuleBuilder, ReplacesOperandsRootAndPredecessors) {
  Example e;
  const InstructionId later = e.builder.Add(e.main, Opcode::kNegate, kScalar, {e.product});
  e.builder.Set<Attr::kControlPredecessors>(later, std::vector{e.product, e.x});
  const InstructionId other = e.builder.Add(e.main, Opcode::kNegate, kScalar, {e.x});
  e.builder.ReplaceAllUses(e.product, other);
  EXPECT_EQ(OperandsOf(e.builder.module(), later), std::vector{other});
  EXPECT_EQ(e.builder.module().computation(e.main).root, other);
  const auto predecessors = e.builder.instruction(later).Get<Attr::kControlPredecessors>();
  EXPECT_EQ(ToVector(predecessors), (std::vector{other, e.x}));
  EXPECT_TRUE(e.builder.UsersOf(e.product).empty());
}

TEST(ModuleBuilder, ErasedInstructionsAreGoneWhenFinished) {
  Example e;
  const InstructionId negated = e.builder.Add(e.main, Opcode::kNegate, kScalar, {e.sum});
  e.builder.Set<Attr::kControlPredecessors>(negated, std::vector{e.product});
  e.builder.SetRoot(e.main, negated);
  e.builder.Erase(e.product);
  EXPECT_FALSE(e.builder.instruction(negated).Has(Attr::kControlPredecessors));
  EXPECT_TRUE(e.builder.IsErased(e.product));
  const Module module = std::move(e.builder).Finish();
  EXPECT_EQ(module.instructions().size(), 6u);
  const Instruction& root = module.root(module.entry());
  EXPECT_EQ(root.opcode, Opcode::kNegate);
  EXPECT_EQ(module.operand(root, 0).name, "add.1");
  EXPECT_EQ(module.entry().instructions.size(), 3u);
}

TEST(ModuleBuilder, ErasedComputationsAreGoneWhenFinished) {
  Example e;
  e.builder.Erase(e.reducer);
  const Module module = std::move(e.builder).Finish();
  ASSERT_EQ(module.computations().size(), 1u);
  EXPECT_EQ(module.entry().name, "main");
  EXPECT_EQ(module.instructions().size(), 3u);
}

TEST(ModuleBuilder, MovesInstructions) {
  Example e;
  e.builder.MoveBefore(e.product, e.sum);
  EXPECT_EQ(e.builder.module().computation(e.main).instructions,
            (std::vector{e.x, e.product, e.sum}));
  e.builder.SetOrder(e.main, std::vector{e.sum, e.x, e.product});
  EXPECT_EQ(e.builder.module().computation(e.main).instructions,
            (std::vector{e.sum, e.x, e.product}));
}

TEST(ModuleBuilder, NamesBecomeUniqueInTheOrderGiven) {
  Module module = std::move(Example().builder).Finish();
  const ComputationId reducer(0), main(1);
  module.mutable_instruction(module.computation(main).root).name = "add";
  module.mutable_computation(reducer).name = "main";
  ModuleBuilder builder(std::move(module));
  builder.MakeNamesUnique(std::vector{main, reducer});
  const Module renamed = std::move(builder).Finish();
  EXPECT_EQ(renamed.computation(main).name, "main");
  EXPECT_EQ(renamed.computation(reducer).name, "main.1");
  EXPECT_EQ(renamed.root(renamed.computation(main)).name, "add");
  EXPECT_EQ(renamed.root(renamed.computation(reducer)).name, "add.2");
}

TEST(ModuleBuilder, PartsOfAModuleKeepToTheirNames) {
  Module module = std::move(Example().builder).Finish();
  ModuleBuilder part(&module);
  const ComputationId body = part.AddComputation("");
  const InstructionId x = part.AddParameter(body, kScalar, "x");
  const InstructionId y = part.AddParameter(body, kScalar, "x");
  part.SetRoot(body, part.Add(body, Opcode::kAdd, kScalar, {x, y}));
  EXPECT_EQ(module.computation(body).name, "");
  EXPECT_EQ(module.instruction(x).name, "x");
  EXPECT_EQ(module.instruction(y).name, "x.1");
  EXPECT_EQ(module.root(module.computation(body)).name, "add");
  // What somebody else adds has users too.
  Instruction negate;
  negate.opcode = Opcode::kNegate;
  negate.shape = module.InternShape(kScalar);
  const Operand operand{y, {}};
  negate.operands = List<Operand>(module.arena().CopyItems(std::span(&operand, 1)));
  const InstructionId other = module.AddInstruction(negate);
  EXPECT_EQ(ToVector(part.UsersOf(y)), (std::vector{module.computation(body).root, other}));
}

TEST(ModuleBuilder, AttributesBelongToTheModule) {
  Example e;
  {
    const std::string target = "host_function";
    const std::vector<int64_t> dims = {3, 1, 2};
    e.builder.Set<Attr::kCustomCallTarget>(e.sum, target);
    e.builder.Set<Attr::kDimensions>(e.sum, dims);
  }
  EXPECT_EQ(e.builder.instruction(e.sum).Get<Attr::kCustomCallTarget>(), "host_function");
  EXPECT_EQ(e.builder.instruction(e.sum).Get<Attr::kDimensions>()[0], 3);
}

TEST(ModuleBuilder, ClonesWithinAModuleShareCallees) {
  Example e;
  e.builder.Set<Attr::kToApply>(e.product, e.reducer);
  CloneMap map;
  const ComputationId copy = e.builder.CloneComputation(e.builder.module(), e.main, map);
  const Module& module = e.builder.module();
  EXPECT_EQ(module.computation(copy).name, "main.1");
  EXPECT_EQ(module.computation(copy).parameters, std::vector{map.instructions.at(e.x)});
  const InstructionId product = map.instructions.at(e.product);
  EXPECT_EQ(module.computation(copy).root, product);
  EXPECT_EQ(OperandsOf(module, product),
            (std::vector{map.instructions.at(e.sum), map.instructions.at(e.x)}));
  EXPECT_EQ(module.instruction(product).Get<Attr::kToApply>(), e.reducer);
  EXPECT_EQ(module.instruction(product).name, "multiply.1");
}

TEST(ModuleBuilder, ClonesOfAnotherModuleStandAlone) {
  ModuleBuilder target("target");
  CloneMap map;
  ComputationId copy;
  {
    Example e;
    e.builder.Set<Attr::kToApply>(e.product, e.reducer);
    Metadata metadata;
    metadata.op_name = "multiply";
    metadata.stack_frame_id = 7;
    e.builder.Set<Attr::kMetadata>(e.product, metadata);
    e.builder.Set<Attr::kLiteral>(
        e.sum, {e.builder.module()
                    .instruction(e.builder.AddConstant(e.main, Literal::Scalar(2.5f)))
                    .Get<Attr::kConstantValue>()
                    .literal});
    copy = target.CloneComputation(e.builder.module(), e.main, map);
    target.SetEntry(copy);
    map = {};
  }
  const Module module = std::move(target).Finish();
  ASSERT_EQ(module.computations().size(), 2u);
  const Instruction& product = module.root(module.entry());
  EXPECT_EQ(product.name, "multiply");
  EXPECT_EQ(product.Get<Attr::kMetadata>().op_name, "multiply");
  EXPECT_EQ(product.Get<Attr::kMetadata>().stack_frame_id, 0);
  const Computation& reducer = module.computation(product.Get<Attr::kToApply>());
  EXPECT_EQ(reducer.name, "reducer");
  EXPECT_EQ(reducer.parameters.size(), 2u);
  const Instruction& sum = module.operand(product, 0);
  EXPECT_EQ(sum.Get<Attr::kLiteral>().literal->elements<float>()[0], 2.5f);
}

TEST(ModuleBuilder, ClonedModulesAreEqual) {
  Example e;
  e.builder.Set<Attr::kToApply>(e.product, e.reducer);
  e.builder.SetModule<Attr::kReplicaCount>(4);
  const Module module = std::move(e.builder).Finish();
  EXPECT_EQ(DescribeDifference(module, CloneModule(module)), "");
  const Module reordered = CloneModule(module, std::vector{e.main, e.reducer});
  EXPECT_EQ(reordered.computations()[0].name, "main");
  EXPECT_EQ(reordered.root(reordered.entry()).Get<Attr::kToApply>(), ComputationId(1));
}

TEST(Users, CountEachUserAndCallerOnce) {
  Example e;
  e.builder.Set<Attr::kToApply>(e.product, e.reducer);
  const Module module = std::move(e.builder).Finish();
  const Users users(module);
  EXPECT_EQ(ToVector(users.Of(e.x)), (std::vector{e.sum, e.product}));
  EXPECT_EQ(ToVector(users.Of(e.product)), std::vector<InstructionId>());
  EXPECT_EQ(ToVector(users.CallersOf(e.reducer)), std::vector{e.product});
  EXPECT_EQ(ToVector(users.CallersOf(e.main)), std::vector<InstructionId>());
}

}  // namespace
}  // namespace hlo
