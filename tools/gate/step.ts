import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { type Count, readClosingLine } from '../closing-line.ts';

/** One command of the gate. A step that `countsTests` must end with the closing line. */
export interface Step {
  readonly name: string;
  readonly command: string;
  readonly countsTests: boolean;
}

/** What a command did. `exitCode` is `undefined` when it was stopped or could not be started. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly output: string;
}

export interface Outcome extends Count {
  readonly passedAsAStep: boolean;
  readonly verdictText: string;
}

/**
 * Decides what a step adds to the sum. A failure always shows in the sum: a step that failed without naming a failed
 * test counts as one, and so does a run of tests that ended without its closing line or without a single test.
 */
export function judge(step: Step, ended: Ended): Outcome {
  const count = step.countsTests ? readClosingLine(ended.output) : { passed: 0, failed: 0 };
  const passed = count?.passed ?? 0;
  const complaint = complaintAbout(step, ended, count);
  if (complaint === undefined)
    return { passed, failed: 0, passedAsAStep: true, verdictText: step.countsTests ? `${passed} passed` : '' };
  return { passed, failed: Math.max(count?.failed ?? 0, 1), passedAsAStep: false, verdictText: complaint };
}

function complaintAbout(step: Step, ended: Ended, count: Count | undefined): string | undefined {
  if (ended.exitCode === undefined) return 'was stopped';
  if (count === undefined) return 'ended without its closing line';
  if (count.failed > 0) return `${count.passed} passed, ${count.failed} failed`;
  if (ended.exitCode !== 0) return `exit code ${ended.exitCode}`;
  return step.countsTests && count.passed === 0 ? 'ran no test' : undefined;
}

/**
 * Runs a command and gathers what it says. It gets a process group of its own, so that stopping it by `signal` also
 * stops what it has started. No input: a step that asks a question must fail, not wait.
 */
export function runCommand(command: string, root: string, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
    const ownGroup = process.platform !== 'win32';
    const child = spawn(command, {
      cwd: root,
      env,
      shell: true,
      detached: ownGroup,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    const stop = () => {
      if (child.pid !== undefined) stopGroup(ownGroup ? -child.pid : child.pid);
      // What has left the group may hold on to the pipes; it is not waited for any longer.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', (error) => chunks.push(Buffer.from(`${error.message}\n`)));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve({ exitCode: signal.aborted ? undefined : (code ?? undefined), output: Buffer.concat(chunks).toString() });
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

function stopGroup(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
