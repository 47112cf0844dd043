import { FreeholdError } from '@freehold/client/management';
import type { managementApi } from '@freehold/contract/management';
import type { ReplyOf } from '@freehold/contract/route';
import { countsOf, planJson, planLines, takesOut } from '../config/shown-plan.ts';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { refusalOf } from '../management/refusal.ts';
import { assertReaches } from '../profiles/target.ts';
import { testPolicies } from './policy.ts';

type Difference = ReplyOf<(typeof managementApi)['readDiff']>['items'][number];
type Activated = ReplyOf<(typeof managementApi)['activate']>;
type Staged = ReplyOf<(typeof managementApi)['readStaged']>;

interface DeployOptions {
  readonly note?: string;
  readonly force?: true;
  readonly dryRun?: true;
  readonly publishOnly?: true;
  readonly activateOnly?: true;
  readonly withdraw?: true;
  readonly provision?: true;
  readonly founder?: string;
  readonly applyTemplates?: true;
  readonly policyTests?: true;
}

/** `deploy`: test goes live in production. */
export const addDeployCommand: AddCommands = (program, run) => {
  program
    .command('deploy')
    .description('publishes what test has, and makes it live in production')
    .argument('[items...]', 'items as kind/name; left out, all that differ')
    .option('--note <text>', 'says in the history what the release is for')
    .option('--dry-run', 'shows what would be published, and publishes nothing')
    .option('--publish-only', 'stages the items, and makes nothing live')
    .option('--activate-only', 'makes live what is staged already')
    .option('--withdraw', 'takes back all that is staged')
    .option('--force', 'also where records of production break the new definitions')
    .option('--apply-templates', 'also brings the workspaces of production to the template that goes live')
    .option('--policy-tests', 'runs the decision cases of the project first, and deploys nothing if one fails')
    .option('--provision', 'makes the production of the org first, if it has none')
    .option('--founder <email>', 'with --provision, the app user who becomes the first admin of production')
    .action(run<DeployOptions, [readonly string[]]>((context, options, items) => deploy(context, options, items)));
};

async function deploy(context: Context, options: DeployOptions, words: readonly string[]): Promise<ExitCode> {
  refuseContradictions(options, words);
  assertReaches(context.target(), 'prod');
  if (options.withdraw === true) return withdraw(context);
  if (options.policyTests === true && !(await policiesPass(context))) return exitCodes.answerIsNo;
  if (options.provision === true) await provision(context, options.founder);
  if (options.activateOnly === true) return activate(context, options);
  const { org, url } = context.target();
  context.out.progress(`comparing test of ${org} with its production …`);
  const { items } = await differences(context);
  const chosen = choose(items, words);
  const unstaged = chosen.filter(isToPublish);
  if (options.dryRun === true || (unstaged.length === 0 && !items.some(({ staged }) => staged))) {
    const isSame = chosen.length === 0;
    const lines = isSame
      ? ['production is as test is']
      : [`${org} at ${url}, production: ${countsOf(chosen)}`, ...planLines(chosen)];
    context.out.result({ org, environment: 'prod', published: [], activated: false, items: planJson(chosen) }, lines);
    return exitCodes.done;
  }
  const published = unstaged.length === 0 ? [] : await publish(context, unstaged, options);
  if (options.publishOnly !== true) return activate(context, options, published);
  const staged = await context.management().call('readStaged');
  context.out.result(
    {
      org,
      environment: 'prod',
      published,
      activated: false,
      staged: staged.items.map(shownItem),
      checks: staged.checks,
    },
    [`staged for production of ${org}: ${published.map(keyOf).join(', ') || 'nothing new'}`, ...checkLines(staged)],
  );
  return hasErrors(staged, options) ? exitCodes.answerIsNo : exitCodes.done;
}

async function policiesPass(context: Context): Promise<boolean> {
  const { json, lines } = await testPolicies(context);
  for (const line of lines) context.out.note(line);
  if (json.failed === 0) return true;
  const { org } = context.target();
  context.out.result({ org, environment: 'prod', published: [], activated: false, policy_tests: json }, [
    'nothing is published: a decision case fails',
  ]);
  return false;
}

function refuseContradictions(options: DeployOptions, words: readonly string[]): void {
  const modes = [options.dryRun, options.publishOnly, options.activateOnly, options.withdraw].filter(Boolean);
  const isFounderAlone = options.founder !== undefined && options.provision !== true;
  const takesNoWords = options.activateOnly === true || options.withdraw === true;
  if (modes.length > 1 || (words.length > 0 && takesNoWords) || isFounderAlone)
    throw new CommandError('these options exclude each other', {
      code: 'wrong_usage',
      next: 'see `freehold deploy --help`',
    });
}

async function differences(context: Context) {
  try {
    return await context.management().call('readDiff');
  } catch (error) {
    if (!(error instanceof FreeholdError) || error.code !== 'conflict') throw error;
    throw new CommandError(error.message, {
      ...refusalOf(error).details,
      next: 'an org admin makes it with `freehold deploy --provision`',
    });
  }
}

/** Of a production that is there, the address of its first admin is changed where one is named. */
async function provision(context: Context, named: string | undefined): Promise<void> {
  const { org, url } = context.target();
  const management = context.management();
  const { prod } = (await management.call('readOrg')).environments;
  const founder_email = named ?? (prod === null ? await askFounder(context) : undefined);
  const question =
    prod === null
      ? `Make the production of ${org} at ${url}, whose first admin is ${founder_email}?`
      : `Have ${founder_email} be the first admin of the production of ${org}?`;
  if (prod !== null && founder_email === undefined) return;
  await context.ask.confirm(question);
  const { created } = await management.call('provisionProd', { body: { founder_email } });
  context.out.note(
    created ? `${org} has a production now` : `${founder_email} becomes the first admin of the production of ${org}`,
  );
}

/** The address of the builder where none is typed. */
async function askFounder(context: Context): Promise<string> {
  const { email } = (await context.management().call('readMe')).user;
  if (!context.ask.isTerminal) return email;
  const typed = await context.ask.text(`Email of the first admin of production [${email}]`);
  return typed.trim() || email;
}

/** What is staged as it is now needs no second publication. */
function isToPublish({ staged, edited_since_staged }: Difference): boolean {
  return !staged || edited_since_staged === true;
}

function choose(items: readonly Difference[], words: readonly string[]): readonly Difference[] {
  if (words.length === 0) return items;
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  const missing = words.filter((word) => !byKey.has(word));
  if (missing.length > 0)
    throw new CommandError(`nothing to deploy by the name ${missing.map((word) => `\`${word}\``).join(', ')}`, {
      code: 'no_difference',
      next: 'see `freehold diff --prod` for what differs, as kind/name',
    });
  return words.flatMap((word) => byKey.get(word) ?? []);
}

async function publish(context: Context, items: readonly Difference[], { note }: DeployOptions) {
  context.out.progress(`publishing ${items.length} items …`);
  const reply = await context.management().call('publish', {
    body: { items: items.map(({ kind, name }) => ({ kind, name })), ...(note === undefined ? {} : { note }) },
  });
  for (const { kind, name, reason } of reply.added_dependencies)
    context.out.note(`${kind} ${name} comes along: ${reason}`);
  return reply.staged.map(shownItem);
}

async function activate(
  context: Context,
  options: DeployOptions,
  published: readonly object[] = [],
): Promise<ExitCode> {
  const { org, url } = context.target();
  const management = context.management();
  context.out.progress(`checking what is staged for production of ${org} …`);
  const staged = await management.call('readStaged');
  const json = { org, environment: 'prod', published, staged: staged.items.map(shownItem), checks: staged.checks };
  if (staged.items.length === 0) {
    context.out.result({ ...json, activated: false }, ['nothing is staged']);
    return exitCodes.done;
  }
  const changes = (await differences(context)).items.filter((item) => item.staged);
  const heading = `${org} at ${url}, production: ${countsOf(changes)}`;
  const lines = [heading, ...planLines(changes), ...checkLines(staged)];
  if (hasErrors(staged, options)) {
    context.out.result({ ...json, activated: false }, [
      ...lines,
      'nothing is live: the items stay staged until they are corrected and published again, or `freehold deploy --withdraw`',
    ]);
    return exitCodes.answerIsNo;
  }
  for (const line of lines) context.out.note(line);
  if (takesOut(changes) || staged.checks.some(({ loss }) => loss === true))
    await context.ask.confirmByName(org, `This takes out what production of ${org} has (marked - and !).`);
  else await context.ask.confirm(`Make ${staged.items.length} items live in production of ${org}?`);
  const { note, force, applyTemplates } = options;
  const made = await management.call('activate', {
    body: {
      base: staged.base,
      ...(note === undefined ? {} : { note }),
      ...(force === true ? { force } : {}),
      ...(applyTemplates === true ? { apply_templates: true } : {}),
    },
  });
  const { version, activated: live, template_application = null } = made;
  context.out.result({ ...json, activated: true, version, items: live, template_application }, [
    `release ${version} is live in production of ${org}: ${countsOf(live)}`,
    ...(applyTemplates === true ? [applicationLine(made)] : []),
  ]);
  return exitCodes.done;
}

function applicationLine({ template_application: id, checks }: Activated): string {
  if (id !== null && id !== undefined) return `the template is applied to its workspaces in the background (${id})`;
  return checks.at(-1)?.message ?? 'the template is not applied';
}

async function withdraw(context: Context): Promise<ExitCode> {
  const { org } = context.target();
  const { items } = await context.management().call('readStaged');
  if (items.length > 0) {
    for (const item of items) context.out.note(`- ${keyOf(item)}`);
    await context.ask.confirm(`Take back ${items.length} staged items of ${org}?`);
    await context.management().call('withdrawAll');
  }
  context.out.result({ org, withdrawn: items.map(shownItem) }, [
    `${items.length} staged items of ${org} are taken back`,
  ]);
  return exitCodes.done;
}

/** Errors prevent an activation; `--force` is for those of records alone. */
function hasErrors({ checks }: Staged, { force }: DeployOptions): boolean {
  return checks.some(({ level, check }) => level === 'error' && !(force === true && check === 'records'));
}

/** Without what the plan says already. */
function checkLines({ checks }: Pick<Staged, 'checks'>): readonly string[] {
  return checks
    .filter(({ check }) => check !== 'impact')
    .map(({ level, check, kind, name, message }) => {
      const of = kind === undefined ? '' : `${kind} ${name ?? ''}: `;
      return `${level} (${check}): ${of}${message}`;
    });
}

function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

function shownItem({ kind, name }: { readonly kind: string; readonly name: string }) {
  return { kind, name };
}
