import { createHash } from 'node:crypto';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import {
  allowedGlobals,
  type ConsoleOptions,
  prepareConsole,
  prepareRealm,
  type RealmOptions,
  type ScriptOutcome,
  type ScriptRealm,
} from './inside.ts';
import {
  type IntlOptions,
  prepareIntl,
  prepareIntlTools,
  prepareLocaleMethods,
  withoutLocaleMethods,
} from './inside-intl.ts';
import { IntlBridge, intlKinds } from './intl-bridge.ts';
import { readLog, ScriptError, type ScriptLog, scriptLimits } from './script-outcome.ts';

export interface ScriptSource {
  /** The body of a function of `input`, `steps`, `record` and `user`. */
  readonly source: string;
  /** JSON of the list of these four. */
  readonly args: string;
  /** The time of the script's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly seed: string;
}

export interface ScriptResult {
  /** JSON of what the script returned. */
  readonly json: string;
  readonly cpuMilliseconds: number;
  readonly log?: ScriptLog;
}

/**
 * Shared by all scripts of a thread, one after the other. Its memory cannot grow beyond what one script may take: the
 * bound of the interpreter itself counts single allocations alone.
 */
export async function loadEngine(): Promise<ScriptEngine> {
  const { default: loaded }: { readonly default: Loaded } = await import('@jitl/quickjs-wasmfile-release-sync');
  const variant = 'default' in loaded ? loaded.default : loaded;
  const memory = new WebAssembly.Memory({ initial: pagesAtFirst, maximum: scriptLimits.memoryBytes / pageBytes });
  // The types of browsers, if loaded, ask for more members of a memory.
  const options = { wasmMemory: memory as never };
  return { memory, module: await newQuickJSWASMModuleFromVariant(newVariant(variant, options)) };
}

interface ScriptEngine {
  readonly module: QuickJSWASMModule;
  readonly memory: WasmMemory;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** The types of Node do not have it. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  };
};

/** As it is loaded, and as its types say. */
type Loaded = QuickJSSyncVariant | { readonly default: QuickJSSyncVariant };

const pageBytes = 64 * 1024;
/** As the module was built. */
const pagesAtFirst = 256;

/**
 * Runs a script in an interpreter of its own, which reaches nothing of the process and is gone afterwards.
 * @throws ScriptError; anything else is a fault of the module, which is not to be used again.
 */
export function runScript({ module, memory }: ScriptEngine, script: ScriptSource): ScriptResult {
  const runtime = module.newRuntime();
  const clock = new CpuClock();
  runtime.setMaxStackSize(scriptLimits.stackBytes);
  runtime.setInterruptHandler(() => clock.isOver());
  const context = runtime.newContext();
  const { outcome, log } = new Interpreter(runtime, context, clock).run(script);
  context.dispose();
  runtime.dispose();
  if (typeof outcome === 'string')
    return { json: outcome, cpuMilliseconds: clock.spent(), ...(log === undefined ? {} : { log }) };
  // Without memory left for an error, `null` is thrown, or an error that says nothing. Memory grows in steps.
  const isFull = memory.buffer.byteLength > 0.9 * scriptLimits.memoryBytes;
  const { fault, message, line } = isFull && ['', 'null'].includes(outcome.message) ? tooMuchMemory() : outcome;
  throw new ScriptError(fault, message, line, { log });
}

/** Of this thread, which does nothing else meanwhile. */
class CpuClock {
  readonly #start = process.threadCpuUsage();
  #isOver = false;

  spent(): number {
    const { user, system } = process.threadCpuUsage(this.#start);
    return (user + system) / 1000;
  }

  isOver(): boolean {
    this.#isOver ||= this.spent() > scriptLimits.cpuMilliseconds;
    return this.#isOver;
  }
}

type CallResult = { readonly value: QuickJSHandle } | { readonly error: QuickJSHandle };

/** `Intl`, and each method that asks for a locale. */
const namesLocales = /Intl|ocale/;

/** On the first line of the source, so that lines are those of the source. */
const head = 'function (input, steps, record, user) {"use strict";';
const fileName = 'script';

/** Jobs of promises that are done before the clock is looked at. */
const jobsAtOnce = 1000;

class Interpreter {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #clock: CpuClock;
  readonly #handles: QuickJSHandle[] = [];
  #written: QuickJSHandle | undefined;

  constructor(runtime: QuickJSRuntime, context: QuickJSContext, clock: CpuClock) {
    this.#runtime = runtime;
    this.#context = context;
    this.#clock = clock;
  }

  run(script: ScriptSource): { readonly outcome: string | ScriptError; readonly log: ScriptLog | undefined } {
    try {
      return { outcome: this.#returnedOrWhy(script), log: this.#log() };
    } finally {
      for (const handle of this.#handles) handle.dispose();
    }
  }

  #returnedOrWhy(script: ScriptSource): string | ScriptError {
    try {
      return returnedBy(this.#outcomeOf(script), script.source);
    } catch (error) {
      if (error instanceof ScriptError) return error;
      throw error;
    }
  }

  /** Also of a script that was stopped: nothing of the script is run for it. Without memory there is none. */
  #log(): ScriptLog | undefined {
    if (this.#written === undefined) return undefined;
    this.#runtime.removeInterruptHandler();
    const written = this.#context.callFunction(this.#written, this.#context.undefined);
    const handle = this.#keep(written.error ?? written.value);
    return written.error === undefined ? readLog(this.#context.getString(handle)) : undefined;
  }

  /** @throws ScriptError where it is stopped. */
  #outcomeOf({ source, args, now, seed }: ScriptSource): Readonly<Record<keyof ScriptOutcome, string>> {
    const { resultCharacters, messageCharacters } = scriptLimits;
    const options: RealmOptions = {
      allowed: allowedGlobals,
      now,
      seed: numbersOf(seed),
      resultCharacters,
      messageCharacters,
    };
    const realm = this.#done(this.#kept(this.#context.evalCode(`(${prepareRealm})(${JSON.stringify(options)})`)));
    this.#written = this.#prepareConsole();
    // To make them ready takes longer than most scripts.
    if (namesLocales.test(source)) this.#prepareIntl(now);
    else this.#done(this.#kept(this.#context.evalCode(`(${withoutLocaleMethods})()`)));
    const compiled = this.#compiled(realm, source);
    const returned = 'error' in compiled ? compiled : this.#returned(realm, compiled.value, args);
    if ('error' in returned) this.#done(this.#call(realm, 'fail', returned.error));
    else this.#done(this.#call(realm, 'settle', returned.value));
    this.#finishJobs();
    const describe = (part: keyof ScriptOutcome): string =>
      this.#context.getString(this.#done(this.#call(realm, 'told', this.#text(part))));
    return { state: describe('state'), text: describe('text'), stack: describe('stack') };
  }

  #prepareConsole(): QuickJSHandle {
    const options: ConsoleOptions = { lines: scriptLimits.logLines, characters: scriptLimits.logCharacters };
    return this.#done(this.#kept(this.#context.evalCode(`(${prepareConsole})(${JSON.stringify(options)})`)));
  }

  /** The host is asked by texts, which both sides check. */
  #prepareIntl(now: number): void {
    const bridge = new IntlBridge();
    const argumentOf = (handles: readonly QuickJSHandle[], at: number): string => {
      const handle = handles[at];
      return handle === undefined ? '' : this.#context.getString(handle);
    };
    const host = this.#context.newFunction('host', (...handles) =>
      this.#context.newString(
        bridge.answer(argumentOf(handles, 0), argumentOf(handles, 1), argumentOf(handles, 2), argumentOf(handles, 3)),
      ),
    );
    const { intlTextCharacters: textCharacters, intlListElements: listElements } = scriptLimits;
    const options: IntlOptions = { kinds: intlKinds, now, textCharacters, listElements };
    const given = JSON.stringify(options);
    const called = (text: string, handle: QuickJSHandle): QuickJSHandle => {
      const prepared = this.#done(this.#kept(this.#context.evalCode(text)));
      return this.#done(this.#kept(this.#context.callFunction(prepared, this.#context.undefined, handle)));
    };
    const tools = called(`(${prepareIntlTools})(${given})`, this.#keep(host));
    called(`(${prepareIntl})(${given})`, tools);
    called(`(${prepareLocaleMethods})()`, tools);
  }

  #compiled(realm: QuickJSHandle, source: string): CallResult {
    const text = `${head}${source}\n}`;
    const compiled = this.#kept(this.#context.evalCode(`(${text})`, fileName));
    if ('error' in compiled) return compiled;
    const checked = this.#call(realm, 'check', compiled.value, this.#text(text));
    return 'error' in checked ? checked : compiled;
  }

  #returned(realm: QuickJSHandle, script: QuickJSHandle, args: string): CallResult {
    const list = this.#done(this.#call(realm, 'read', this.#text(args)));
    const given = [0, 1, 2, 3].map((index) => this.#keep(this.#context.getProp(list, index)));
    return this.#kept(this.#context.callFunction(script, this.#context.undefined, ...given));
  }

  #finishJobs(): void {
    while (this.#runtime.hasPendingJob()) {
      const done = this.#runtime.executePendingJobs(jobsAtOnce);
      const isFailed = 'error' in done && done.error !== undefined;
      done.dispose();
      if (this.#clock.isOver()) throw tooLong();
      if (isFailed) throw tooMuchMemory();
    }
  }

  /** @throws ScriptError where it was stopped. */
  #call(realm: QuickJSHandle, name: keyof ScriptRealm, ...args: readonly QuickJSHandle[]): CallResult {
    const method = this.#keep(this.#context.getProp(realm, name));
    return this.#kept(this.#context.callFunction(method, this.#context.undefined, ...args));
  }

  /** @throws ScriptError where it was stopped. */
  #kept(result: ReturnType<QuickJSContext['callFunction']>): CallResult {
    const called = result.error === undefined ? { value: result.value } : { error: result.error };
    this.#keep('value' in called ? called.value : called.error);
    if (this.#clock.isOver()) throw tooLong();
    return called;
  }

  /** Work of the interpreter itself fails where no memory is left. @throws ScriptError */
  #done(called: CallResult): QuickJSHandle {
    if ('value' in called) return called.value;
    throw tooMuchMemory();
  }

  #text(text: string): QuickJSHandle {
    return this.#keep(this.#context.newString(text));
  }

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }
}

/** @throws ScriptError */
function returnedBy({ state, text, stack }: Readonly<Record<keyof ScriptOutcome, string>>, source: string): string {
  if (state === 'done') return text;
  if (state === 'waiting') throw new ScriptError('failed', 'the script waits for a promise that nothing settles');
  if (state === 'too large')
    throw new ScriptError('output', `a script returns at most ${scriptLimits.resultCharacters} characters of JSON`);
  if (text === 'out of memory') throw tooMuchMemory();
  throw new ScriptError('failed', text.toWellFormed(), lineOf(stack, source));
}

function numbersOf(seed: string): readonly number[] {
  const digest = createHash('sha256').update(seed).digest();
  return [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
}

/** A script may write what it likes into a stack, so that of it only a line that its source has is believed. */
function lineOf(stack: string, source: string): number | undefined {
  const line = Number(/\bscript:(\d{1,6}):/.exec(stack)?.[1]);
  return line >= 1 && line <= source.split('\n').length ? line : undefined;
}

function tooLong(): ScriptError {
  return new ScriptError('timeout', `the script took more than ${scriptLimits.cpuMilliseconds} ms`);
}

function tooMuchMemory(): ScriptError {
  return new ScriptError('memory', `the script took more than ${scriptLimits.memoryBytes / 1024 / 1024} MB of memory`);
}
