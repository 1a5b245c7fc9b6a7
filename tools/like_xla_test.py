"""Compares hlo-fmt --like-xla with digests of what XLA itself prints.

usage: like_xla_test.py HLO_FMT CORPUS

Exits with 77 (skipped) without the corpus.
"""

import collections
import hashlib
import json
import os
import subprocess
import sys


def split_modules(text):
  """The parts between lines that start with `// -----`."""
  parts = [[]]
  for line in text.splitlines(keepends=True):
    if line.startswith(b'// -----'):
      parts.append([])
    else:
      parts[-1].append(line)
  return [b''.join(part) for part in parts]


def digest(text):
  return hashlib.sha256(b' '.join(text.split())).hexdigest()


def main():
  hlo_fmt, corpus = sys.argv[1:]
  answers_path = os.path.join(corpus, 'answers.jsonl')
  if not os.path.exists(answers_path):
    print('skipped: no corpus at', corpus)
    return 77
  answers_by_file = collections.defaultdict(list)
  with open(answers_path, encoding='utf-8') as lines:
    for line in lines:
      answer = json.loads(line)
      if 'printed_sha256' in answer:
        answers_by_file[answer['file']].append(answer)

  counts = collections.Counter()
  failures = []
  for name, answers in answers_by_file.items():
    with open(os.path.join(corpus, name), 'rb') as file:
      modules = split_modules(file.read())
    for answer in answers:
      if answer.get('elided_constants'):
        # XLA fills elided constants with what its counter happens to be.
        counts['elided constants'] += 1
        continue
      result = subprocess.run([hlo_fmt, '--like-xla', '-'],
                              input=modules[answer['module']],
                              capture_output=True,
                              check=False)
      if digest(result.stdout) == answer['printed_sha256']:
        counts['equal'] += 1
      else:
        failures.append(f"{name} module {answer['module']}: "
                        f'{result.stderr.decode(errors="replace")[:200]}')
  for what, count in counts.items():
    print(f'{count:4} {what}')
  for failure in failures:
    print('DIFFERENT', failure)
  return 1 if failures else 0


if __name__ == '__main__':
  sys.exit(main())
