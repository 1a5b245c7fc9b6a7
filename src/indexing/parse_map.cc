// A recursive descent over the tokens; nesting is bounded. Commas in the domain are optional,
// because published texts have both.
#include "indexing/parse_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indexing/map_lexer.h"
#include "ir/rule.h"
#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

constexpr Rule kRule = Rule::kIndexMapText;
constexpr int kMaxNesting = 200;

constexpr std::array<std::string_view, 11> kReservedWords = {
    "domain",  "in",  "mod", "floordiv", "floorDiv", "ceildiv",
    "ceilDiv", "min", "max", "EMPTY",    "KNOWN"};

std::string Found(const MapToken& token) {
  return token.kind == MapToken::Kind::kEnd ? "the end of the text"
                                            : fmt::format("`{}`", token.text);
}

class MapParser {
 public:
  MapParser(ExprContext& context, DiagnosticSink& sink)
      : context_(context), sink_(sink), lexer_(sink.source()->text()), map_(context) {}

  std::optional<IndexingMap> Parse() {
    if (token().Is("UNKNOWN") || token().Is("UNDEFINED")) {
      lexer_.Advance();
      if (!ExpectEnd()) return std::nullopt;
      return IndexingMap::Unknown(context_);
    }
    if (token().Is("KNOWN")) {
      lexer_.Advance();
      if (!Expect("EMPTY") || !ExpectEnd()) return std::nullopt;
      map_.MakeEmpty();
      return std::move(map_);
    }
    if (!ParseHead() || !ParseDomain() || !ExpectEnd() || !CheckBounds()) return std::nullopt;
    if (is_empty_) map_.MakeEmpty();
    map_.Normalize();
    return std::move(map_);
  }

  std::optional<Expr> ParseExprOf(const IndexingMap& map) {
    for (int64_t i = 0; i < map.variable_count(); ++i) {
      const Variable& variable = map.variable(i);
      names_.emplace(variable.name.empty() ? DefaultName(map, i) : variable.name, i);
    }
    std::optional<Expr> expr = ParseSum();
    if (!expr || !ExpectEnd()) return std::nullopt;
    return expr;
  }

 private:
  const MapToken& token() const { return lexer_.token(); }

  Failure Error(SourceRange range, std::string message) {
    return sink_.Report(Severity::kError, kRule, range, std::move(message));
  }
  Failure Unexpected(std::string_view expected) {
    return Error(token().range, fmt::format("expected {}, found {}", expected, Found(token())));
  }

  bool Accept(std::string_view text) {
    if (!token().Is(text)) return false;
    lexer_.Advance();
    return true;
  }
  bool Expect(std::string_view text) {
    return Accept(text) || Unexpected(fmt::format("`{}`", text));
  }
  bool ExpectEnd() { return token().kind == MapToken::Kind::kEnd || Unexpected("the end"); }

  // --- (d0, d1)[s0]{rt0} -> (d0, d1 + s0)
  // ---------------------------------------------------------

  bool ParseHead() {
    if (!ParseNames("(", ")", map_.dims, "d")) return false;
    bool has_ranges = false, has_runtimes = false;
    while (token().Is("[") || token().Is("{")) {
      bool& seen = token().Is("[") ? has_ranges : has_runtimes;
      if (seen) return Error(token().range, "these variables are listed twice");
      seen = true;
      const bool parsed = token().Is("[") ? ParseNames("[", "]", map_.ranges, "s")
                                          : ParseNames("{", "}", map_.runtimes, "rt");
      if (!parsed) return false;
    }
    return DeclareNames() && Expect("->") && ParseResults();
  }

  bool ParseNames(std::string_view open, std::string_view close, std::vector<Variable>& variables,
                  std::string_view prefix) {
    if (!Expect(open)) return false;
    if (Accept(close)) return true;
    do {
      if (token().kind != MapToken::Kind::kName) return Unexpected("a variable's name");
      if (std::ranges::find(kReservedWords, token().text) != kReservedWords.end()) {
        return Error(token().range, fmt::format("`{}` cannot name a variable", token().text));
      }
      const std::string default_name = fmt::format("{}{}", prefix, variables.size());
      Variable variable;
      variable.bounds = Interval::All();
      if (token().text != default_name) variable.name = std::string(token().text);
      variables.push_back(variable);
      declared_[prefix == "d" ? 0 : prefix == "s" ? 1 : 2].push_back(token());
      lexer_.Advance();
    } while (Accept(","));
    return Expect(close);
  }

  bool DeclareNames() {
    int64_t number = 0;
    for (const std::vector<MapToken>& kind : declared_) {
      for (const MapToken& name : kind) {
        if (!names_.emplace(std::string(name.text), number++).second) {
          return Error(name.range, fmt::format("two variables are named `{}`", name.text));
        }
      }
    }
    bounded_.resize(static_cast<size_t>(number));
    return true;
  }

  bool ParseResults() {
    if (!Expect("(")) return false;
    if (Accept(")")) return true;
    do {
      const std::optional<Expr> result = ParseSum();
      if (!result) return false;
      map_.results.push_back(*result);
    } while (Accept(","));
    return Expect(")");
  }

  // --- domain: d0 in [0, 3], d0 mod 2 in [0, 0]
  // ---------------------------------------------------

  bool ParseDomain() {
    Accept(",");
    if (token().kind == MapToken::Kind::kEnd) return true;
    if (!Expect("domain") || !Expect(":")) return false;
    if (Accept("EMPTY")) {
      is_empty_ = true;
      return true;
    }
    while (token().kind != MapToken::Kind::kEnd) {
      if (!ParseItem()) return false;
      Accept(",");
    }
    return true;
  }

  bool ParseItem() {
    const std::optional<Expr> expr = ParseSum();
    if (!expr || !Expect("in") || !Expect("[")) return false;
    const std::optional<int64_t> lower = ParseInteger();
    if (!lower || !Expect(",")) return false;
    const std::optional<int64_t> upper = ParseInteger();
    if (!upper || !Expect("]")) return false;
    const Interval bounds{*lower, *upper};
    if (expr->IsVariable()) {
      const size_t number = static_cast<size_t>(expr->variable());
      Interval& known = map_.variable(expr->variable()).bounds;
      known = bounded_[number] ? known.Intersect(bounds) : bounds;
      bounded_[number] = true;
    } else {
      map_.AddConstraint(*expr, bounds);
      is_empty_ |= map_.IsKnownEmpty();
      map_.state = IndexingMap::State::kKnown;
    }
    return true;
  }

  std::optional<int64_t> ParseInteger() {
    const bool is_negative = Accept("-");
    if (token().kind != MapToken::Kind::kNumber) return Unexpected("a number");
    return TakeNumber(is_negative);
  }

  std::optional<int64_t> TakeNumber(bool is_negative) {
    const MapToken number = token();
    lexer_.Advance();
    uint64_t magnitude = 0;
    const char* end = number.text.data() + number.text.size();
    const auto [stop, error] = std::from_chars(number.text.data(), end, magnitude);
    const uint64_t limit = (uint64_t{1} << 63) - (is_negative ? 0 : 1);
    if (error != std::errc() || stop != end || magnitude > limit) {
      return Error(number.range, fmt::format("`{}{}` does not fit into 64 bits",
                                             is_negative ? "-" : "", number.text));
    }
    return static_cast<int64_t>(is_negative ? 0 - magnitude : magnitude);
  }

  // Every variable has an interval, unless nothing satisfies the map anyway.
  bool CheckBounds() {
    const auto missing = std::ranges::find(bounded_, false);
    if (missing == bounded_.end() || is_empty_) return true;
    size_t number = static_cast<size_t>(missing - bounded_.begin());
    for (const std::vector<MapToken>& kind : declared_) {
      if (number < kind.size()) {
        return Error(kind[number].range,
                     fmt::format("the domain gives no interval for `{}`", kind[number].text));
      }
      number -= kind.size();
    }
    return false;
  }

  // --- Expressions
  // --------------------------------------------------------------------------------

  std::optional<Expr> ParseSum() {
    std::optional<Expr> sum = ParseTerm();
    while (sum && (token().Is("+") || token().Is("-"))) {
      const MapToken op = token();
      lexer_.Advance();
      const std::optional<Expr> term = ParseTerm();
      if (!term) return std::nullopt;
      sum = Checked(op.Is("+") ? *sum + *term : *sum - *term, op.range);
    }
    return sum;
  }

  static std::optional<ExprKind> TermOperator(const MapToken& token) {
    if (token.Is("*")) return ExprKind::kMul;
    if (token.Is("/") || token.Is("floordiv") || token.Is("floorDiv")) return ExprKind::kFloorDiv;
    if (token.Is("ceildiv") || token.Is("ceilDiv")) return ExprKind::kCeilDiv;
    if (token.Is("mod") || token.Is("%")) return ExprKind::kMod;
    return std::nullopt;
  }

  std::optional<Expr> ParseTerm() {
    std::optional<Expr> term = ParseFactor();
    while (term) {
      const std::optional<ExprKind> kind = TermOperator(token());
      if (!kind) break;
      const MapToken op = token();
      lexer_.Advance();
      const std::optional<Expr> factor = ParseFactor();
      if (!factor) return std::nullopt;
      if (*kind != ExprKind::kMul && factor->IsConstant(0)) {
        return Error(op.range, "division by zero");
      }
      term = Checked(Make(*kind, *term, *factor), op.range);
    }
    return term;
  }

  std::optional<Expr> ParseFactor() {
    if (++nesting_ > kMaxNesting) {
      return Error(token().range,
                   fmt::format("expressions nest deeper than {} levels", kMaxNesting));
    }
    std::optional<Expr> factor = ParseFactorInside();
    --nesting_;
    return factor;
  }

  std::optional<Expr> ParseFactorInside() {
    const MapToken first = token();
    if (Accept("-")) {
      if (token().kind == MapToken::Kind::kNumber) return ParseConstant(/*is_negative=*/true);
      const std::optional<Expr> operand = ParseFactor();
      if (!operand) return std::nullopt;
      return Checked(-*operand, first.range);
    }
    if (first.kind == MapToken::Kind::kNumber) return ParseConstant(/*is_negative=*/false);
    if (Accept("(")) {
      const std::optional<Expr> inside = ParseSum();
      if (!inside || !Expect(")")) return std::nullopt;
      return inside;
    }
    if (first.Is("min") || first.Is("max")) return ParseCall();
    if (first.kind == MapToken::Kind::kName) return ParseVariable();
    return Unexpected("an expression");
  }

  std::optional<Expr> ParseConstant(bool is_negative) {
    const std::optional<int64_t> value = TakeNumber(is_negative);
    if (!value) return std::nullopt;
    return context_.Constant(*value);
  }

  std::optional<Expr> ParseCall() {
    const MapToken name = token();
    lexer_.Advance();
    if (!Expect("(")) return std::nullopt;
    const std::optional<Expr> a = ParseSum();
    if (!a || !Expect(",")) return std::nullopt;
    const std::optional<Expr> b = ParseSum();
    if (!b || !Expect(")")) return std::nullopt;
    return Checked(name.Is("min") ? Min(*a, *b) : Max(*a, *b), name.range);
  }

  std::optional<Expr> ParseVariable() {
    const MapToken name = token();
    const auto known = names_.find(std::string(name.text));
    if (known == names_.end()) {
      return Error(name.range, fmt::format("no variable is named `{}`", name.text));
    }
    lexer_.Advance();
    return context_.Variable(known->second);
  }

  std::optional<Expr> Checked(Expr expr, SourceRange range) {
    if (expr.IsValid()) return expr;
    return Error(range, "the expression overflows 64 bits or is too large");
  }

  static std::string DefaultName(const IndexingMap& map, int64_t number) {
    if (number < map.first_range()) return fmt::format("d{}", number);
    if (number < map.first_runtime()) return fmt::format("s{}", number - map.first_range());
    return fmt::format("rt{}", number - map.first_runtime());
  }

  ExprContext& context_;
  DiagnosticSink& sink_;
  MapLexer lexer_;
  IndexingMap map_;
  std::array<std::vector<MapToken>, 3> declared_;  // dimensions, ranges, runtime variables
  absl::flat_hash_map<std::string, int64_t> names_;
  std::vector<bool> bounded_;
  bool is_empty_ = false;
  int nesting_ = 0;
};

}  // namespace

std::optional<IndexingMap> ParseMap(ExprContext& context, DiagnosticSink& sink) {
  return MapParser(context, sink).Parse();
}

std::optional<Expr> ParseExpr(const IndexingMap& map, DiagnosticSink& sink) {
  return MapParser(map.context(), sink).ParseExprOf(map);
}

}  // namespace hlo::indexing
