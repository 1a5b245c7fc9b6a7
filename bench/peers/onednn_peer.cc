// oneDNN called directly, as a peer for products and convolutions:
//   onednn_peer THREADS dot TYPE fresh|frozen BATCH M K N [transposed]
//   onednn_peer THREADS conv|dgrad|wgrad TYPE fresh|frozen N H W I O KH KW SH SW PT PB PL PR GROUPS
//   [nchw]
// Arrays have the layouts that HLO gives them (images nhwc, kernels hwio, or nchw and oihw).
// Whether it is faster to say so to oneDNN, or to let it choose layouts for some of them and to
// reorder, is tried: the fastest way counts, its reorders included, but for those of weights that
// are frozen.
#include <omp.h>

#include <dnnl.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/peers/timed_loop.h"

namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

struct Tensor {
  int argument;
  memory::desc plain;  // as HLO has it
  bool is_output = false;
  bool is_frozen = false;  // reordered once, not in every run
};

// A primitive and the layouts it wants, of the tensors in their order.
struct Form {
  dnnl::primitive primitive;
  std::vector<memory::desc> layouts;
  bool is_reference;  // plain loops, for layouts that nobody has optimized
};

bool IsReference(const char* implementation) {
  return std::string_view(implementation).starts_with("ref");
}

// Makes the form for layouts that are given or left open (format `any`); throws where there is
// none.
using MakeForm = std::function<Form(const dnnl::engine&, const std::vector<memory::desc>&)>;

struct Work {
  std::vector<Tensor> tensors;
  MakeForm make;
};

// One way to do the work: reorders and the primitive, one after the other.
class Way {
 public:
  Way(const dnnl::engine& engine, const Work& work, const Form& form) : stream_(engine) {
    std::unordered_map<int, memory> arguments;
    std::vector<Step> after;
    for (size_t i = 0; i < work.tensors.size(); ++i) {
      const Tensor& tensor = work.tensors[i];
      memory plain = MakeMemory(tensor.plain, engine);
      memory inner = plain;
      if (form.layouts[i] != tensor.plain) {
        inner = MakeMemory(form.layouts[i], engine);
        if (tensor.is_output) {
          after.push_back(Reorder(inner, plain));
        } else if (tensor.is_frozen) {
          Reorder(plain, inner)(stream_);
        } else {
          steps_.push_back(Reorder(plain, inner));
        }
      }
      arguments.emplace(tensor.argument, inner);
    }
    steps_.push_back([primitive = form.primitive, arguments](dnnl::stream& stream) {
      primitive.execute(stream, arguments);
    });
    steps_.insert(steps_.end(), after.begin(), after.end());
  }

  void Run() {
    for (const Step& step : steps_) step(stream_);
    stream_.wait();
  }

 private:
  using Step = std::function<void(dnnl::stream&)>;

  static memory MakeMemory(const memory::desc& layout, const dnnl::engine& engine) {
    memory result(layout, engine);
    auto* words = static_cast<uint16_t*>(result.get_data_handle());
    // Small numbers as f32 and as bf16 alike.
    for (size_t i = 0; i < layout.get_size() / sizeof(uint16_t); ++i) words[i] = 0x3c00 + i % 61;
    return result;
  }

  static Step Reorder(memory from, memory to) {
    return [from, to, reorder = dnnl::reorder(from, to)](dnnl::stream& stream) mutable {
      reorder.execute(stream, from, to);
    };
  }

  dnnl::stream stream_;
  std::vector<Step> steps_;
};

memory::desc LeftOpen(const memory::desc& layout) {
  return memory::desc(layout.dims(), layout.data_type(), Tag::any);
}

// The fastest way: each subset of the tensors may have its layout left open.
std::unique_ptr<Way> FastestWay(const dnnl::engine& engine, const Work& work) {
  std::unique_ptr<Way> fastest;
  double least = 0;
  for (unsigned open = 0; open < 1u << work.tensors.size(); ++open) {
    std::vector<memory::desc> layouts;
    for (size_t i = 0; i < work.tensors.size(); ++i) {
      const memory::desc& plain = work.tensors[i].plain;
      layouts.push_back((open >> i & 1) != 0 ? LeftOpen(plain) : plain);
    }
    try {
      const Form form = work.make(engine, layouts);
      if (form.is_reference) continue;
      auto way = std::make_unique<Way>(engine, work, form);
      way->Run();
      const double time = hlo::bench::MedianOf(5, [&] { way->Run(); });
      if (fastest != nullptr && time >= least) continue;
      least = time;
      fastest = std::move(way);
    } catch (const dnnl::error&) {  // not with these layouts
    }
  }
  return fastest;
}

// The arguments behind TYPE and fresh|frozen.
struct Arguments {
  memory::data_type type;
  memory::data_type result_type;  // of dots
  bool is_frozen;
  Dims numbers;
  bool is_transposed;  // the second operand of dots
  bool is_nchw;        // convolutions
};

Work Dot(const Arguments& given) {
  const int64_t batch = given.numbers[0], m = given.numbers[1], k = given.numbers[2],
                n = given.numbers[3];
  const Tag right = given.is_transposed ? Tag::acb : Tag::abc;
  return {{{DNNL_ARG_SRC, {{batch, m, k}, given.type, Tag::abc}},
           {DNNL_ARG_WEIGHTS, {{batch, k, n}, given.type, right}, false, given.is_frozen},
           {DNNL_ARG_DST, {{batch, m, n}, given.result_type, Tag::abc}, true}},
          [](const dnnl::engine& engine, const std::vector<memory::desc>& layouts) {
            const dnnl::matmul::primitive_desc form(
                dnnl::matmul::desc(layouts[0], layouts[1], layouts[2]), engine);
            return Form{dnnl::matmul(form),
                        {form.src_desc(), form.weights_desc(), form.dst_desc()},
                        IsReference(form.impl_info_str())};
          }};
}

struct Convolution {
  Dims strides, before, after;
  memory::desc image, kernel, result;
};

Convolution ReadConvolution(const Arguments& given) {
  const Dims& v = given.numbers;
  const int64_t n = v[0], h = v[1], w = v[2], inputs = v[3], outputs = v[4], kh = v[5], kw = v[6],
                sh = v[7], sw = v[8], top = v[9], bottom = v[10], left = v[11], right = v[12],
                groups = v[13];
  const int64_t oh = (h + top + bottom - kh) / sh + 1, ow = (w + left + right - kw) / sw + 1;
  const Tag images = given.is_nchw ? Tag::nchw : Tag::nhwc;
  const memory::desc kernel =
      groups == 1 ? memory::desc({outputs, inputs, kh, kw}, given.type,
                                 given.is_nchw ? Tag::oihw : Tag::hwio)
                  : memory::desc({groups, outputs / groups, inputs / groups, kh, kw}, given.type,
                                 given.is_nchw ? Tag::goihw : Tag::hwigo);
  return {{sh, sw},        {top, left},
          {bottom, right}, {{n, inputs, h, w}, given.type, images},
          kernel,          {{n, outputs, oh, ow}, given.type, images}};
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc Forward(const Convolution& c, const dnnl::engine& engine,
                                                  dnnl::prop_kind kind, const memory::desc& image,
                                                  const memory::desc& kernel,
                                                  const memory::desc& result) {
  return {dnnl::convolution_forward::desc(kind, kDirect, image, kernel, result, c.strides, c.before,
                                          c.after),
          engine};
}

Work ForwardWork(const Arguments& given) {
  const Convolution c = ReadConvolution(given);
  return {{{DNNL_ARG_SRC, c.image},
           {DNNL_ARG_WEIGHTS, c.kernel, false, given.is_frozen},
           {DNNL_ARG_DST, c.result, true}},
          [c](const dnnl::engine& engine, const std::vector<memory::desc>& layouts) {
            const auto form = Forward(c, engine, dnnl::prop_kind::forward_inference, layouts[0],
                                      layouts[1], layouts[2]);
            return Form{dnnl::convolution_forward(form),
                        {form.src_desc(), form.weights_desc(), form.dst_desc()},
                        IsReference(form.impl_info_str())};
          }};
}

// The gradient of the image.
Work ImageGradient(const Arguments& given) {
  const Convolution c = ReadConvolution(given);
  return {{{DNNL_ARG_DIFF_DST, c.result},
           {DNNL_ARG_WEIGHTS, c.kernel},
           {DNNL_ARG_DIFF_SRC, c.image, true}},
          [c](const dnnl::engine& engine, const std::vector<memory::desc>& layouts) {
            const auto hint = Forward(c, engine, dnnl::prop_kind::forward_training, layouts[2],
                                      layouts[1], layouts[0]);
            const dnnl::convolution_backward_data::primitive_desc form(
                dnnl::convolution_backward_data::desc(kDirect, layouts[2], layouts[1], layouts[0],
                                                      c.strides, c.before, c.after),
                engine, hint);
            return Form{dnnl::convolution_backward_data(form),
                        {form.diff_dst_desc(), form.weights_desc(), form.diff_src_desc()},
                        IsReference(form.impl_info_str())};
          }};
}

// The gradient of the kernel.
Work KernelGradient(const Arguments& given) {
  const Convolution c = ReadConvolution(given);
  return {{{DNNL_ARG_SRC, c.image},
           {DNNL_ARG_DIFF_DST, c.result},
           {DNNL_ARG_DIFF_WEIGHTS, c.kernel, true}},
          [c](const dnnl::engine& engine, const std::vector<memory::desc>& layouts) {
            const auto hint = Forward(c, engine, dnnl::prop_kind::forward_training, layouts[0],
                                      layouts[2], layouts[1]);
            const dnnl::convolution_backward_weights::primitive_desc form(
                dnnl::convolution_backward_weights::desc(kDirect, layouts[0], layouts[2],
                                                         layouts[1], c.strides, c.before, c.after),
                engine, hint);
            return Form{dnnl::convolution_backward_weights(form),
                        {form.src_desc(), form.diff_dst_desc(), form.diff_weights_desc()},
                        IsReference(form.impl_info_str())};
          }};
}

memory::data_type TypeOf(const std::string& name) {
  if (name == "s8") return memory::data_type::s8;
  return name == "bf16" ? memory::data_type::bf16 : memory::data_type::f32;
}

std::optional<Work> ReadWork(const std::vector<std::string>& words) {
  if (words.size() < 4) return std::nullopt;
  const memory::data_type type = TypeOf(words[1]);
  Arguments given{type,
                  type == memory::data_type::s8 ? memory::data_type::s32 : type,
                  words[2] == "frozen",
                  {},
                  words.back() == "transposed",
                  words.back() == "nchw"};
  const bool has_flag = given.is_transposed || given.is_nchw;
  for (size_t i = 3; i + has_flag < words.size(); ++i) {
    given.numbers.push_back(std::strtoll(words[i].c_str(), nullptr, 10));
  }
  const size_t expected = words[0] == "dot" ? 4 : 14;
  if (given.numbers.size() != expected) return std::nullopt;
  if (words[0] == "dot") return Dot(given);
  if (words[0] == "conv") return ForwardWork(given);
  if (words[0] == "dgrad") return ImageGradient(given);
  if (words[0] == "wgrad") return KernelGradient(given);
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) omp_set_num_threads(std::atoi(argv[1]));
  const std::optional<Work> work = ReadWork({argv + std::min(argc, 2), argv + argc});
  if (!work) {
    std::cerr << "usage: onednn_peer THREADS dot|conv|dgrad|wgrad TYPE fresh|frozen SIZES...\n";
    return 2;
  }
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const std::unique_ptr<Way> way = FastestWay(engine, *work);
  if (way == nullptr) {
    std::cout << "missing oneDNN has no such primitive" << std::endl;
    return 1;
  }
  return hlo::bench::ServeTimes([&] { way->Run(); });
}
