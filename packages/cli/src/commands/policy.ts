import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import type { Outcome } from '../policy-cases/judge-case.ts';
import { type PolicyCase, readCases } from '../policy-cases/read-cases.ts';
import { runCases } from '../policy-cases/run-cases.ts';
import { assertReaches } from '../profiles/target.ts';

/** `policy test`: decision cases, as a check of a pipeline. */
export const addPolicyCommands: AddCommands = (program, run) => {
  program
    .command('policy')
    .description('tests what policies decide')
    .command('test [files...]')
    .description('runs decision cases (default: policies/*.cases.yaml); ends with 1 if one of them fails')
    .action(run<object, [readonly string[]]>((context, _, files) => test(context, files)));
};

const fileBytesMax = 1_048_576;

async function test(context: Context, given: readonly string[]): Promise<ExitCode> {
  const { json, lines } = await testPolicies(context, given);
  context.out.result(json, lines);
  return json.failed === 0 ? exitCodes.done : exitCodes.answerIsNo;
}

/** Runs these cases; those of the project where none are named. @throws CommandError where there are none. */
export async function testPolicies(context: Context, given: readonly string[] = []) {
  const cases = casesOf(context, given);
  for (const { env } of cases) assertReaches(context.target(), env);
  const outcomes = await runCases(context, cases);
  const failed = outcomes.filter(({ passed }) => !passed);
  const figures = { passed: outcomes.length - failed.length, failed: failed.length };
  const lines = [...outcomes.flatMap(linesOf), `${figures.passed} passed, ${figures.failed} failed`];
  return { json: { ...figures, cases: outcomes }, lines };
}

function linesOf({ place, name, passed, expected, got, why, statement }: Outcome): readonly string[] {
  if (passed) return [`ok      ${name}`];
  const decided =
    statement === undefined
      ? []
      : [
          `        decided by ${statement.Sid === undefined ? `statement ${statement.index}` : `\`${statement.Sid}\``} of policy \`${statement.policy}\`${statement.group === undefined ? '' : `, held by group \`${statement.group}\``}`,
        ];
  return [`FAILED  ${name} (${place})`, `        expected ${expected}, got ${got}: ${why}`, ...decided];
}

function casesOf(context: Context, given: readonly string[]): readonly PolicyCase[] {
  const root = context.projectIfAny()?.root ?? context.cwd;
  const files =
    given.length > 0
      ? given.map((file) => resolve(context.cwd, file))
      : globSync('policies/*.cases.yaml', { cwd: root })
          .sort()
          .map((file) => resolve(root, file));
  if (files.length === 0)
    throw new CommandError(`there are no cases in ${root}`, {
      code: 'no_cases',
      next: 'write policies/NAME.cases.yaml, or name files: docs/command-line.md shows one',
    });
  const read = files.map((file) => readCases(textOf(file), relative(context.cwd, file)));
  const mistakes = read.flatMap((one) => one.mistakes);
  const cases = read.flatMap((one) => one.cases);
  if (mistakes.length > 0)
    throw new CommandError('cases have mistakes, so none was run', { code: 'cases_invalid', lines: mistakes });
  if (cases.length === 0) throw new CommandError('the files have no cases', { code: 'no_cases' });
  return cases;
}

function textOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length <= fileBytesMax) return text;
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      code: 'wrong_usage',
    });
  }
  throw new CommandError(`${file} is longer than 1 MiB`, { code: 'cases_invalid' });
}
