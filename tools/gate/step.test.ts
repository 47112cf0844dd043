import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { closingLine, readClosingLine } from '../closing-line.ts';
import { judge, runCommand } from './step.ts';

const check = { name: 'check', command: '', countsTests: false };
const tests = { name: 'tests', command: '', countsTests: true };

describe('the closing line', () => {
  it('is read back as it was written', () => {
    const count = { passed: 12, failed: 3 };
    assert.deepEqual(readClosingLine(`one\n${closingLine(count)}\n`), count);
  });

  it('counts only as a line of its own at the end', () => {
    assert.equal(readClosingLine('5 passed, 0 failed\nError: boom\n'), undefined);
    assert.equal(readClosingLine('all 5 passed, 0 failed\n'), undefined);
    assert.equal(readClosingLine(''), undefined);
  });
});

describe('what a step adds to the sum', () => {
  const sums: readonly (readonly [
    what: string,
    step: typeof check,
    code: number | undefined,
    output: string,
    sum: readonly number[],
  ])[] = [
    ['nothing for a check that holds', check, 0, 'fine\n', [0, 0]],
    ['one failure for a check that fails', check, 1, 'broken\n', [0, 1]],
    ['one failure for a check that was stopped', check, undefined, '', [0, 1]],
    ['its tests, when all passed', tests, 0, '7 passed, 0 failed\n', [7, 0]],
    ['its tests, when some failed', tests, 1, '5 passed, 2 failed\n', [5, 2]],
    ['its failed tests, even when it left with exit code 0', tests, 0, '5 passed, 2 failed\n', [5, 2]],
    ['one failure for tests that all passed in a run that failed', tests, 1, '7 passed, 0 failed\n', [7, 1]],
    ['one failure for a run without its closing line', tests, 0, 'Error: boom\n', [0, 1]],
    ['one failure for a run of no test', tests, 0, '0 passed, 0 failed\n', [0, 1]],
    ['one failure for tests that were stopped', tests, undefined, '7 passed, 0 failed\n', [7, 1]],
  ];
  for (const [what, step, exitCode, output, sum] of sums) {
    it(`is ${what}`, () => {
      const { passed, failed, passedAsAStep } = judge(step, { exitCode, output });
      assert.deepEqual([passed, failed], sum);
      assert.equal(passedAsAStep, failed === 0);
    });
  }
});

describe('a command', () => {
  const never = new AbortController().signal;

  it('gives back all that it says and how it ended', async () => {
    const ended = await runCommand(
      `node -e "console.log('out'); console.error('err'); process.exit(3)"`,
      tmpdir(),
      never,
    );
    assert.equal(ended.exitCode, 3);
    assert.deepEqual(ended.output.trim().split('\n').sort(), ['err', 'out']);
  });

  it('gets no input', async () => {
    const { exitCode } = await runCommand(
      `node -e "process.stdin.on('end', () => process.exit(4)).resume()"`,
      tmpdir(),
      never,
    );
    assert.equal(exitCode, 4);
  });

  it('is stopped together with what it started', async () => {
    const stop = new AbortController();
    const started = createServer().listen(0, '127.0.0.1');
    await once(started, 'listening');
    const { port } = started.address() as AddressInfo;
    const grandchild = `require('node:net').connect(${port}, '127.0.0.1')`;
    const child = `require('node:child_process').spawn('node', ['-e', process.argv[1]], { stdio: 'inherit' })`;
    const running = runCommand(`node -e "${child}" "${grandchild}"`, tmpdir(), stop.signal);
    const [socket]: readonly Socket[] = await once(started, 'connection');
    assert.ok(socket);
    socket.on('error', () => {});
    const gone = once(socket.resume(), 'close');
    stop.abort();
    assert.equal((await running).exitCode, undefined);
    await gone;
    started.close();
  });

  it('does not run when the gate has been stopped already', async () => {
    assert.equal((await runCommand('node -e ""', tmpdir(), AbortSignal.abort())).exitCode, undefined);
  });
});
