import { parseStrictJson } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';
import { scriptLimits } from '../scripts/limits.ts';
import { ScriptError, type ScriptFault } from '../scripts/script-error.ts';
import { lineOfLog, type ScriptLog } from '../scripts/script-log.ts';
import type { ScriptJob, ScriptRunner } from '../scripts/script-runner.ts';
import { blockFailure } from './block-failure.ts';
import type { ScriptValue } from './effects.ts';

/** @throws Problem `block_failed`, `rate_limited`. */
export async function runScriptStep(scripts: Pick<ScriptRunner, 'run'>, job: ScriptJob): Promise<ScriptValue> {
  try {
    const { json, cpuMilliseconds, log } = await scripts.run(job);
    return { value: plainValue(json), cpuMilliseconds, ...(log === undefined ? {} : { log }) };
  } catch (error) {
    throw error instanceof ScriptError ? scriptFailure(error) : error;
  }
}

/** What cannot be stored and given back as it is, or would not be read alike everywhere, is no value of a step either. */
function plainValue(json: string): unknown {
  try {
    return parseStrictJson(json);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw blockFailure('the script returned what no body of a request may hold', {}, error);
  }
}

/** What a script throws may hold values, so its text is no part of the refusal. */
function scriptFailure(error: ScriptError): Problem {
  const { fault, line, message } = error;
  return blockFailure(
    own[fault] ? message : `the script failed${line === undefined ? '' : ` at line ${line}`}`,
    {},
    error,
  );
}

/** What a script took of the processor that failed. */
export function cpuOfFailure(error: unknown): number {
  return error instanceof Problem && error.cause instanceof ScriptError ? error.cause.cpuMilliseconds : 0;
}

/** What a script wrote before it failed, and then what it threw. */
export function logOfFailure(error: unknown): ScriptLog | undefined {
  if (!(error instanceof Problem && error.cause instanceof ScriptError)) return undefined;
  const { fault, message, line, log } = error.cause;
  if (own[fault] || message === '') return log;
  const place = line === undefined ? '' : ` at line ${line}`;
  const cut = message.length === scriptLimits.messageCharacters ? '…' : '';
  const thrown = lineOfLog(`Uncaught${place}: ${message}${cut}`);
  return { ...log, lines: [...(log?.lines ?? []), thrown] };
}

/** Whether the sentence is one of the platform. */
const own: Readonly<Record<ScriptFault, boolean>> = { failed: false, timeout: true, memory: true, output: true };
