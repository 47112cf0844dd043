/** Makes, tests and removes the backups of a platform, one after the other. */
import { existsSync, rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import {
  type BackupFacts,
  type BackupFile,
  type BackupMaker,
  backupOfFacts,
  newBackupName,
  readFacts,
  removeFacts,
  type TestFacts,
  writeFacts,
} from './backup-facts.ts';
import {
  type BackupPlaces,
  expiredBackups,
  expiredFailures,
  lastOfSchedule,
  lastPassed,
  prepareFolder,
  requireRoom,
  roomForBackup,
  roomForTest,
} from './backup-folder.ts';
import { readBackupFile } from './restore-backup.ts';
import { type CommandEnd, type CommandRun, outcomeOf, problemOf, type RunCommand } from './run-command.ts';

/** The facts about backups that monitoring reads. */
interface BackupState {
  /** Start of the last scheduled backup whose restore test passed, in milliseconds; undefined without one. */
  readonly passedAt: number | undefined;
  /** Since the start. */
  readonly failures: Readonly<Record<'backup' | 'restore_test', number>>;
}

interface RunnerDeps extends BackupPlaces {
  /** Names this platform, for as long as it has its secrets. */
  readonly platform: string;
  readonly keep: number;
  readonly clock: Clock;
  readonly run: RunCommand;
  /** Writes to the operator's audit log what the platform did. */
  readonly record: (done: BackupRecord) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface BackupRecord {
  readonly action: string;
  readonly name: string;
  readonly detail?: Readonly<Record<string, string>>;
}

interface BackupWork {
  readonly name: string;
  is: 'backup' | 'restore test';
  run: CommandRun | undefined;
  done: Promise<void>;
}

/** A request that cannot be done now throws a Problem at once. */
export class BackupRunner {
  readonly #deps: RunnerDeps;
  #work: BackupWork | undefined;
  #isClosing = false;
  #lastScheduled: number | undefined;
  #lastPassed: BackupFacts | undefined;
  readonly #failures = { backup: 0, restore_test: 0 };

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Start, done or due, of the last scheduled backup, in milliseconds; undefined where there was none. */
  get lastScheduled(): number | undefined {
    return this.#lastScheduled;
  }

  /** Ends what an earlier run of this platform has left: what it was doing has failed. Comes before everything else. */
  async clean(): Promise<void> {
    for (const facts of await this.#ownFacts()) {
      if (facts.state === 'running') await this.#endUnfinished(facts);
      if (facts.test?.result !== 'running') continue;
      await this.#removeAside(facts.name, 'test');
      this.#noteTest(facts.name, { ...facts.test, result: 'failed', problem: 'the platform ended during the test' });
    }
    const last = lastOfSchedule(await this.#ownFacts());
    if (last !== undefined) this.#lastScheduled = Date.parse(last.begun_at);
    await this.#findPassed();
  }

  backupState(): BackupState {
    const passedAt = this.#lastPassed && Date.parse(this.#lastPassed.begun_at);
    return { passedAt, failures: { ...this.#failures } };
  }

  /** Whether a backup or a test may be begun now. */
  check(): void {
    if (this.#isClosing) throw new Problem('unavailable', 'the platform is shutting down');
    if (this.#work !== undefined)
      throw new Problem('conflict', `a ${this.#work.is} is running (\`${this.#work.name}\`): one runs at a time`);
  }

  begin(name: string, by: BackupMaker): void {
    this.check();
    const { folder, platform, clock } = this.#deps;
    if (existsSync(join(folder, name))) throw new Problem('conflict', `there is a backup \`${name}\` already`);
    const facts: BackupFacts = { name, platform, made_by: by, begun_at: timestamp(clock.now()), state: 'running' };
    this.#note(facts);
    if (by === 'schedule') this.#lastScheduled = clock.now();
    this.#start({ name, is: 'backup' }, (work) => this.#make(facts, work));
  }

  /** @param file what was found under the name: a complete backup. */
  test(name: string, file: BackupFile): void {
    this.check();
    if (!existsSync(join(this.#deps.folder, name))) throw notFound();
    this.#start({ name, is: 'restore test' }, (work) => this.#test(name, file, work));
  }

  /** Whether the backup may be removed now. */
  checkRemoval(name: string): void {
    if (this.#work?.name === name) throw new Problem('conflict', `a ${this.#work.is} of \`${name}\` is running`);
  }

  remove(name: string): void {
    this.checkRemoval(name);
    rmSync(join(this.#deps.folder, name), { force: true });
    removeFacts(this.#deps.folder, name);
    if (this.#lastPassed?.name === name) void this.#findPassed().catch(this.#deps.onError);
  }

  /** A reason that keeps a scheduled backup from starting is recorded as a failed backup. */
  async startScheduled(): Promise<void> {
    if (this.#work !== undefined || this.#isClosing) return;
    const { folder, platform, clock, record, onError } = this.#deps;
    const now = clock.now();
    const name = newBackupName(now);
    try {
      await prepareFolder(folder);
      await requireRoom(folder, (await roomForBackup(this.#deps))?.needed_bytes ?? 0, 'a backup');
      await record({ action: 'backup.begun', name });
      this.begin(name, 'schedule');
    } catch (error) {
      // The next start makes up for it.
      if (this.#isClosing) return;
      const problem = error instanceof Error ? error.message : String(error);
      this.#lastScheduled = now;
      this.#failures.backup += 1;
      onError(new Error(`the scheduled backup was not begun: ${problem}`));
      // If there is no folder, the log alone tells of it.
      if (existsSync(folder))
        this.#note({ name, platform, made_by: 'schedule', begun_at: timestamp(now), state: 'failed', problem });
      await this.#record({ action: 'backup.failed', name, detail: { reason: problem } });
    }
  }

  /** Ends what is running, which has failed then. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#work?.run?.kill();
    await this.#work?.done;
  }

  #start({ name, is }: Pick<BackupWork, 'name' | 'is'>, does: (work: BackupWork) => Promise<void>): void {
    const work: BackupWork = { name, is, run: undefined, done: Promise.resolve() };
    this.#work = work;
    work.done = does(work)
      .catch(this.#deps.onError)
      .finally(() => {
        this.#work = undefined;
      });
  }

  #run(work: BackupWork, words: readonly string[]): Promise<CommandEnd> {
    if (this.#isClosing) return Promise.resolve({ code: null, signal: null, stdout: '', stderr: '' });
    work.run = this.#deps.run(words);
    return work.run.ended;
  }

  async #make(facts: BackupFacts, work: BackupWork): Promise<void> {
    const { folder, dataDir } = this.#deps;
    const { name, made_by } = facts;
    const end = await this.#run(work, ['backup', join(folder, name), '--data-dir', dataDir]);
    const file = end.code === 0 ? await this.#fileOf(name).catch(() => undefined) : undefined;
    if (file === undefined) {
      await this.#fail(facts, this.#isClosing ? 'the platform was stopped before it was complete' : problemOf(end));
      return;
    }
    await this.#record({ action: 'backup.completed', name });
    this.#note({ ...facts, state: 'complete', file });
    if (made_by !== 'schedule') return;
    await this.#test(name, file, work);
    await this.#removeExpired();
  }

  async #fail(facts: BackupFacts, problem: string): Promise<void> {
    const { folder, onError } = this.#deps;
    this.#failures.backup += 1;
    await this.#removeAside(facts.name, 'partial');
    for (const { name } of expiredFailures(await this.#ownFacts()))
      if (!existsSync(join(folder, name))) removeFacts(folder, name);
    onError(new Error(`the backup \`${facts.name}\` has failed: ${problem}`));
    await this.#record({ action: 'backup.failed', name: facts.name, detail: { reason: problem } });
    this.#note({ ...facts, state: 'failed', problem });
  }

  async #test(name: string, file: BackupFile, work: BackupWork): Promise<void> {
    const { folder, platform, clock, onError } = this.#deps;
    work.is = 'restore test';
    const at = timestamp(clock.now());
    const known = readFacts(folder, name);
    const isOwn = known?.platform === platform && isOf(known, file);
    const other: BackupFacts = { name, platform, made_by: null, begun_at: at, state: 'complete', file };
    this.#note({ ...(isOwn ? known : other), test: { result: 'running', at } });
    const outcome = await this.#restore(name, file, work);
    const stopped = { result: 'failed', problem: 'the platform was stopped during the test' } as const;
    const test: TestFacts = { ...(this.#isClosing ? stopped : outcome), at };
    if (test.result !== 'passed') {
      this.#failures.restore_test += 1;
      onError(new Error(`the restore test of the backup \`${name}\`: ${test.problem ?? test.result}`));
    }
    await this.#record({ action: 'backup.tested', name, detail: { result: test.result } });
    const own = await this.#ownFacts();
    // The last step of a test: a caller who reads its result may go on with the backup at once.
    this.#noteTest(name, test);
    this.#lastPassed = lastPassed(own.map((facts) => (facts.name === name ? { ...facts, test } : facts)));
  }

  async #findPassed(): Promise<void> {
    this.#lastPassed = lastPassed(await this.#ownFacts());
  }

  /** Into a folder beside the backup, which holds all its secrets and is removed whatever comes of it. */
  async #restore(name: string, file: BackupFile, work: BackupWork): Promise<Pick<TestFacts, 'result' | 'problem'>> {
    const path = join(this.#deps.folder, name);
    try {
      await this.#removeAside(name, 'test');
      await requireRoom(this.#deps.folder, roomForTest(file), 'a restore test');
      return outcomeOf(await this.#run(work, ['restore', path, '--data-dir', `${path}.test`]));
    } catch (error) {
      return { result: 'failed', problem: error instanceof Error ? error.message : String(error) };
    } finally {
      await this.#removeAside(name, 'test');
    }
  }

  /** Of those that this platform has made, and that are still the files that it wrote. */
  async #removeExpired(): Promise<void> {
    const { keep, record } = this.#deps;
    for (const facts of expiredBackups(await this.#ownFacts(), keep)) {
      const file = await this.#fileOf(facts.name).catch(() => undefined);
      if (file === undefined || !isOf(facts, file)) continue;
      await record({ action: 'backup.removed', name: facts.name, detail: { reason: `the schedule keeps ${keep}` } });
      this.remove(facts.name);
    }
  }

  async #endUnfinished(facts: BackupFacts): Promise<void> {
    const file = await this.#fileOf(facts.name).catch(() => undefined);
    if (file === undefined) return this.#fail(facts, 'the platform ended before it was complete');
    await this.#removeAside(facts.name, 'partial');
    await this.#record({ action: 'backup.completed', name: facts.name });
    this.#note({ ...facts, state: 'complete', file });
  }

  /** @throws Error where there is no such backup, or it cannot be read. */
  async #fileOf(name: string): Promise<BackupFile> {
    const path = join(this.#deps.folder, name);
    const found = await lstat(path);
    if (!found.isFile()) throw new Error(`\`${name}\` is no file`);
    const { created_at } = await readBackupFile(path);
    return { bytes: found.size, created_at: new Date(created_at).toISOString() };
  }

  /** The facts that this platform has written beside the backups. */
  async #ownFacts(): Promise<readonly BackupFacts[]> {
    const { folder, platform } = this.#deps;
    const names = existsSync(folder) ? await readdir(folder) : [];
    return names.flatMap((fileName) => {
      const name = backupOfFacts(fileName);
      const facts = name === undefined ? undefined : readFacts(folder, name);
      return facts?.platform === platform ? [facts] : [];
    });
  }

  /** Notes the event also where the store takes no entry of it. */
  async #record(done: BackupRecord): Promise<void> {
    await this.#deps.record(done).catch(this.#deps.onError);
  }

  #note(facts: BackupFacts): void {
    writeFacts(this.#deps.folder, facts);
  }

  /** The backup may have been removed meanwhile. */
  #noteTest(name: string, test: TestFacts): void {
    const facts = readFacts(this.#deps.folder, name);
    if (facts !== undefined) this.#note({ ...facts, test });
  }

  async #removeAside(name: string, what: 'partial' | 'test'): Promise<void> {
    await rm(join(this.#deps.folder, `${name}.${what}`), { recursive: true, force: true });
  }
}

function isOf({ file }: BackupFacts, { bytes, created_at }: BackupFile): boolean {
  return file?.bytes === bytes && file.created_at === created_at;
}
