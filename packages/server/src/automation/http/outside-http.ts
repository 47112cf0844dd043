import type { Clock } from '../../lib/clock.ts';
import type { Environment } from '../../tenancy/port.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { HttpAsk, HttpValue, SecretUse } from '../blocks/outside.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import { Redaction } from '../runs/redaction.ts';
import type { SecretReader } from '../vault/secret-reader.ts';
import { assertHost } from './allowed-host.ts';
import { callHttp, type HttpCallDeps } from './http-call.ts';

/** Calls to other systems, as the configuration of an org allows them at the moment of each call. */
export interface OutsideHttp {
  /**
   * @param place the org that calls: that of the run, whatever its values say.
   * @throws Problem as `callHttp`; `block_failed` for a host that may not be called.
   */
  send(place: OutsidePlace, ask: HttpAsk, about: CallAbout): Promise<HttpValue>;
}

export interface CallAbout {
  /** How many writes and calls came of one another, this one included. */
  readonly depth: number;
  /** The same each time that the call is sent; an `idempotency-key` of the step goes before it. */
  readonly key?: string;
}

export interface OutsidePlace {
  readonly env: Environment;
  readonly orgCode: string;
}

export interface OutsideHttpDeps extends HttpCallDeps {
  readonly secrets: SecretReader;
  readonly chain: Pick<ChainHeader, 'write'>;
  readonly clock: Clock;
  /** The hosts that the org allows. */
  readonly hosts: (env: Environment, orgCode: string) => Promise<readonly string[]>;
}

/** A shorter one would be found in answers where it does not stand. */
const secretCharactersMin = 8;

export function createOutsideHttp(deps: OutsideHttpDeps): OutsideHttp {
  return {
    send: async (place, { method, url: address, headers, body, secret }, { depth, key }) => {
      const url = new URL(address);
      assertHost(url, await deps.hosts(place.env, place.orgCode));
      const opened = secret === undefined ? undefined : await headerOf(deps, place, { secret, url });
      const carried = {
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...lowerCased(headers),
        ...opened?.headers,
        [chainHeaderName]: deps.chain.write(depth, deps.clock.now()),
      };
      const value = await callHttp(deps, { org: place.orgCode, url, method, headers: carried, body });
      // Nothing behind this line has the secret, in whatever way the receiver sends it back.
      return opened === undefined ? value : (opened.redaction.of(value) as HttpValue);
    },
  };
}

interface OpenedHeader {
  readonly headers: Readonly<Record<string, string>>;
  readonly redaction: Redaction;
}

async function headerOf(
  { secrets }: OutsideHttpDeps,
  { env, orgCode }: OutsidePlace,
  { secret, url }: { readonly secret: SecretUse; readonly url: URL },
): Promise<OpenedHeader> {
  const { name, header, prefix = '', basic } = secret;
  const opened = await secrets.open(env, orgCode, name);
  // One sentence for each reason: which secrets there are is nothing for callers of blocks.
  const unusable = () => blockFailure('the secret cannot be used for this address');
  if (opened === undefined || opened.value.length < secretCharactersMin) throw unusable();
  const { value, hosts } = opened;
  try {
    assertHost(url, hosts);
  } catch {
    throw unusable();
  }
  const text = basic === undefined ? prefix + value : `Basic ${Buffer.from(`${basic}:${value}`).toString('base64')}`;
  const redaction = new Redaction();
  redaction.hideOf(
    '',
    basic === undefined ? [text, value] : [text, text.slice('Basic '.length), `${basic}:${value}`, value],
  );
  return { headers: { [header.toLowerCase()]: text }, redaction };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
