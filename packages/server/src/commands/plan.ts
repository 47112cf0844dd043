/** Shows and changes the plan of an org on a running platform, over its management gateway. */
import { parseArgs } from 'node:util';
import { askOperator, type CliCommand, CommandRefused, type OperatorCall, runCommand } from './command-line.ts';

const help = `Shows and changes what an org may use. The platform must be running.

  freehold plan show <org>           the plan of an org
  freehold plan set <org> <name>     gives it a plan: free, pro, unlimited, or one of your own with its limits

  --api-calls-per-day 10000          limits in place of the plan's own; a limit that is left out is none
  --api-calls-per-month 100000
  --records 10000
  --entities 25                      in each environment
  --indexes 100                      in each environment, of all entities together
  --policies 50                      in each workspace
  --runs-per-day 1000                of logic blocks; these four in both environments together
  --deliveries-per-day 5000          of events, repeated ones included
  --script-seconds-per-day 600
  --mails-per-day 200
  --run-days 7                       for how long runs are kept once they are over
  --receipt-days 7                   for how long receipts of deliveries are
  --url http://127.0.0.1:4001        the management gateway; FREEHOLD_MANAGEMENT_URL and _PORT name it too

FREEHOLD_OPERATOR_KEY holds the key that the platform was started with.
Ends with 0 if it succeeded, 1 if the platform refused, and 2 if the platform could not be reached.
`;

const limitOptions = {
  'api-calls-per-day': 'api_calls_per_day',
  'api-calls-per-month': 'api_calls_per_month',
  records: 'records',
  entities: 'entities',
  indexes: 'indexes',
  policies: 'policies',
  'runs-per-day': 'runs_per_day',
  'deliveries-per-day': 'deliveries_per_day',
  'script-seconds-per-day': 'script_seconds_per_day',
  'mails-per-day': 'mails_per_day',
  'run-days': 'run_days',
  'receipt-days': 'receipt_days',
} as const;

type LimitOption = keyof typeof limitOptions;

interface ShownPlan {
  readonly org: string;
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
}

async function run(given: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...given],
    options: {
      url: text,
      help: { type: 'boolean' },
      'api-calls-per-day': text,
      'api-calls-per-month': text,
      records: text,
      entities: text,
      indexes: text,
      policies: text,
      'runs-per-day': text,
      'deliveries-per-day': text,
      'script-seconds-per-day': text,
      'mails-per-day': text,
      'run-days': text,
      'receipt-days': text,
    },
    allowPositionals: true,
  });
  if (values.help === true || positionals.length === 0) {
    process.stdout.write(help);
    return 0;
  }
  return askOperator(callOf(positionals, readLimits(values)), values.url, formatReply);
}

function callOf(
  [command, org, name, ...more]: readonly string[],
  limits: ShownPlan['limits'] | undefined,
): OperatorCall {
  const path = `/platform/orgs/${encodeURIComponent(org ?? '')}/plan`;
  if (command === 'show' && org !== undefined && name === undefined && limits === undefined)
    return { method: 'GET', path };
  if (command === 'set' && name !== undefined && more.length === 0)
    return { method: 'PUT', path, body: limits === undefined ? { name } : { name, limits } };
  const words = [command, org, name, ...more].filter((word) => word !== undefined).join(' ');
  throw new CommandRefused(`\`${words}\` is not \`show <org>\` or \`set <org> <name>\`: see --help`);
}

/** Undefined where none is given: then a plan has the limits that it has by its name. */
function readLimits(values: Readonly<Partial<Record<LimitOption, string>>>): ShownPlan['limits'] | undefined {
  const limits: Record<string, number> = {};
  for (const option of Object.keys(limitOptions) as LimitOption[]) {
    const text = values[option];
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text)) throw new CommandRefused(`--${option} takes a whole number, not \`${text}\``);
    limits[limitOptions[option]] = Number(text);
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function formatReply(text: string): string {
  const { org, name, limits } = JSON.parse(text) as ShownPlan;
  return `${[org, name, ...Object.entries(limits).map(([metric, limit]) => `${metric} ${limit}`)].join('  ')}\n`;
}

export const plan: CliCommand = { failure: 'the platform could not be reached', run };

if (import.meta.main) runCommand(plan);
