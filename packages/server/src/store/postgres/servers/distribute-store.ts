import { Unavailable } from '../../port.ts';
import { parseAddress } from '../address.ts';
import { Connection, type TimeLimits } from '../connections/connection.ts';
import { describeError, isServerError, SessionLost } from '../connections/postgres-error.ts';
import { DataHeld, holdElsewhere, openHeld } from '../hold-data.ts';
import { readClusterFacts } from './cluster.ts';
import { distributeTables, placementOf, whyNotDistributed } from './distribution.ts';

/** A day: the rows of a table are moved by one statement. */
const limits: TimeLimits = { statement: 86_400_000, lock: 60_000 };

/**
 * Has Citus distribute the tables of one data space, in place, while no node uses them.
 * @param done is called with the name of each table that was distributed now.
 * @throws Unavailable with a sentence for the operator where that cannot be done.
 */
export async function distributeStore(url: string, space: string, done: (table: string) => void): Promise<void> {
  const parsed = parseAddress(url);
  const address = { ...parsed, schema: `${parsed.schema}_${space}` };
  const asked = await Connection.open(address, limits);
  const opened = [asked];
  try {
    const facts = await readClusterFacts(asked, address.schema);
    const mistake = await whyNotDistributed(asked, facts);
    if (mistake !== undefined) throw new Unavailable(mistake);
    const onOther = () => undefined;
    const held = await openHeld(address, limits, {
      hold: 'alone',
      version: undefined,
      isDistributed: undefined,
      onOther,
    });
    opened.push(held, ...(await holdElsewhere(held, address, limits)));
    await distributeTables(held, address, placementOf(space), done);
  } catch (error) {
    if (error instanceof DataHeld)
      throw new Unavailable('other processes use the data: stop all nodes, then run the command again');
    if (!isServerError(error) && !(error instanceof SessionLost)) throw error;
    throw new Unavailable(describeError(error).message, { cause: describeError(error) });
  } finally {
    await Promise.all(opened.map((connection) => connection.end()));
  }
}
