// ONNX Runtime as a peer, through its package for node:
//   node onnxruntime_peer.mjs FOLDER MODEL.onnx THREADS run|first
// FOLDER is where npm has put onnxruntime-node. `run` times a run of the model on random inputs;
// `first` the making of a session and its first run. timed_loop.h describes the conversation.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import path from 'node:path';

const [folder, model, threads, mode] = process.argv.slice(2);

function load() {
  try {
    return createRequire(path.resolve(folder) + '/')('onnxruntime-node');
  } catch (error) {
    console.log('missing ONNX Runtime (npm package onnxruntime-node)');
    process.exit(0);
  }
}

const ort = load();

function create() {
  return ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    // Its threads do not wait busily between runs: that is the turn of others.
    extra: {session: {force_spinning_stop: '1'}},
  });
}

// Floats between 0 and 1 for every input.
function makeInputs(session) {
  const inputs = {};
  for (const {name, shape} of session.inputMetadata) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    for (let i = 0; i < data.length; ++i) data[i] = Math.random();
    inputs[name] = new ort.Tensor('float32', data, shape);
  }
  return inputs;
}

async function median(count, run) {
  const times = [];
  for (let i = 0; i < count; ++i) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)];
}

const session = await create();
const inputs = makeInputs(session);

async function createAndRun() {
  const fresh = await create();
  await fresh.run(inputs);
  await fresh.release();
}

const run = mode === 'first' ? createAndRun : () => session.run(inputs);
await run();
console.log('ready');
for await (const line of createInterface({input: process.stdin})) {
  console.log((await median(Number(line), run)).toFixed(6));
}
