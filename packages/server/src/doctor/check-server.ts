import type { Clock } from '../lib/clock.ts';
import { type AskedServer, askServer } from '../store/postgres/ask-server.ts';
import { type Finding, fault, good, reasonOf } from './finding.ts';

const versionMin = 15;
const clocksApartMax = 2000;

/** Whether a PostgreSQL server can hold a platform. @param setting the one that names it. */
export async function checkServer(url: string, setting: string, clock: Clock): Promise<readonly Finding[]> {
  try {
    const before = clock.now();
    const server = await askServer(url);
    return judge(server, { setting, apart: server.now - (before + clock.now()) / 2 });
  } catch (error) {
    const advice = `see that it runs, that ${setting} names it with the right user and password, and that it takes connections from here`;
    return [fault(`the PostgreSQL server cannot be asked (${reasonOf(error)}): ${advice}`)];
  }
}

/** Whether a platform has ever started there. */
export async function hasPlatform(url: string): Promise<boolean> {
  return (await askServer(url)).hasPlatform;
}

function judge(
  { version, encoding, isStandby }: AskedServer,
  { setting, apart }: { readonly setting: string; readonly apart: number },
): readonly Finding[] {
  const findings: Finding[] = [good(`PostgreSQL ${version} of ${setting} answers`)];
  if (Number.parseInt(version, 10) < versionMin)
    findings.push(fault(`PostgreSQL ${version} is too old: use ${versionMin} or newer`));
  if (encoding !== 'UTF8')
    findings.push(
      fault(`the database is encoded in ${encoding}: make one with \`encoding 'UTF8' template template0\``),
    );
  if (isStandby)
    findings.push(fault(`the server is a standby, which takes no writes: point ${setting} at the primary`));
  if (Math.abs(apart) > clocksApartMax)
    findings.push(
      fault(
        `the clocks of this machine and of the server are ${Math.round(Math.abs(apart) / 1000)} seconds apart: set both by NTP, as nodes must agree within a second`,
      ),
    );
  else findings.push(good('the clocks of this machine and of the server agree'));
  return findings;
}
