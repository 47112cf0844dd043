import type { Clock } from '../lib/clock.ts';
import { askCluster, askServer, sessionsShared } from '../store/postgres/ask-server.ts';
import { type Finding, fault, good, reasonOf } from './finding.ts';

const versionMin = 15;
const clocksApartMax = 2000;

export interface ServerToCheck {
  readonly url: string;
  /** The setting that names the server. */
  readonly setting: string;
  /** The data spaces that are to lie there. */
  readonly spaces: readonly string[];
}

/** Whether a PostgreSQL server can hold a platform. */
export async function checkServer({ url, setting, spaces }: ServerToCheck, clock: Clock): Promise<readonly Finding[]> {
  try {
    const before = clock.now();
    const server = await askServer(url, spaces);
    const apart = server.now - (before + clock.now()) / 2;
    // No platform works on the others.
    const isAble = !server.isStandby && server.keepsSessions && server.encoding === 'UTF8';
    return judgeServer(server, { setting, apart, cluster: isAble ? await askCluster(url, spaces) : [] });
  } catch (error) {
    if (reasonOf(error) === '53300')
      return [
        fault(
          `the PostgreSQL server of ${setting} takes no more connections (53300): end some, raise its \`max_connections\`, or lower \`reads\` and \`commits\` in the address`,
        ),
      ];
    const advice = `see that it runs, that ${setting} names it with the right user and password, and that it takes connections from here`;
    return [fault(`the PostgreSQL server cannot be asked (${reasonOf(error)}): ${advice}`)];
  }
}

type ServerState = Awaited<ReturnType<typeof askServer>>;
type ClusterState = Awaited<ReturnType<typeof askCluster>>;

/** A server of a cluster, which keeps some of the data. */
function judgeClusterServer({ name, faults }: ClusterState[number]): Finding {
  if (faults.length === 0) return good(`the server ${name} of the cluster answers`);
  return fault(
    `the server ${name} of the cluster: ${faults.join(', ')}: see that it runs and answers the coordinator, and set what is off to \`on\``,
  );
}

/** Those of the data spaces that no platform has made there. */
export async function missingSpaces<Space extends string>(
  url: string,
  spaces: readonly Space[],
): Promise<readonly Space[]> {
  const made = (await askServer(url, spaces)).schemas.filter(({ hasTables }) => hasTables);
  return spaces.filter((space) => !made.some(({ name }) => name.endsWith(`_${space}`)));
}

interface CheckedServer {
  readonly setting: string;
  readonly apart: number;
  readonly cluster?: ClusterState;
}

/** @param looked under which setting the server was found, and how many milliseconds its clock is ahead. */
export function judgeServer(server: ServerState, { setting, apart, cluster = [] }: CheckedServer): readonly Finding[] {
  const { version, encoding, isStandby, isReadOnly, user, database } = server;
  const findings: Finding[] = [good(`PostgreSQL ${version} of ${setting} answers`)];
  if (Number.parseInt(version, 10) < versionMin)
    findings.push(fault(`PostgreSQL ${version} is too old: use ${versionMin} or newer`));
  if (encoding !== 'UTF8')
    findings.push(
      fault(`the database is encoded in ${encoding}: make one with \`encoding 'UTF8' template template0\``),
    );
  if (isStandby)
    findings.push(fault(`the server is a standby, which takes no writes: point ${setting} at the primary`));
  else if (!server.keepsSessions) findings.push(fault(sessionsShared));
  else if (!server.hearsSignals)
    findings.push(
      fault(
        `what a session tells by NOTIFY does not come back, so nodes learn of ended tokens and changed rights late: point ${setting} at the server, or at a pooler that passes notifications`,
      ),
    );
  else if (isReadOnly)
    findings.push(
      fault(
        `sessions of the user \`${user}\` are read-only there (\`default_transaction_read_only\`): see whether its disk is full, or set that off`,
      ),
    );
  for (const name of server.settingsOff)
    findings.push(fault(`\`${name}\` is off on the server, which may then lose acknowledged writes: set it to \`on\``));
  findings.push(...cluster.map(judgeClusterServer));
  findings.push(...server.schemas.flatMap((schema) => missingRight(schema, user, database)));
  if (Math.abs(apart) > clocksApartMax)
    findings.push(
      fault(
        `the clocks of this machine and of the server are ${Math.round(Math.abs(apart) / 1000)} seconds apart: set both by NTP, as nodes must agree within a second`,
      ),
    );
  else findings.push(good('the clocks of this machine and of the server agree'));
  return findings;
}

function missingRight(
  { name, missing }: ServerState['schemas'][number],
  user: string,
  database: string,
): readonly Finding[] {
  switch (missing) {
    case undefined:
      return [];
    case 'create schema':
      return [
        fault(
          `the user \`${user}\` may not make the schema \`${name}\`: \`grant create on database "${database}" to "${user}"\`, or \`create schema ${name} authorization "${user}"\``,
        ),
      ];
    case 'create tables':
      return [
        fault(
          `the user \`${user}\` may not make tables in the schema \`${name}\`: \`alter schema ${name} owner to "${user}"\``,
        ),
      ];
    case 'use tables':
      return [
        fault(
          `the user \`${user}\` may not read and write the tables in the schema \`${name}\`: name their owner in the address, or grant \`usage\` on the schema and \`select, insert, update, delete\` on all its tables`,
        ),
      ];
  }
}
