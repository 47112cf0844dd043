import type { Finding } from '../doctor/finding.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenedStore, ServerChange, SignalChannel, SignalEars } from '../store/port.ts';

/** The address of a platform's stores. May hold a password, so no message quotes it. */
interface EngineAddress {
  readonly kind: string;
  /** Holds the stores and, beside them, the secrets. Left out where a server keeps both. */
  readonly folder?: string | undefined;
}

export type Space = 'platform' | 'test' | 'prod';

/** The use of an address: in FREEHOLD_STORE, in FREEHOLD_STORE_PROD, or by the command `copy`. */
export type AddressUse = 'store' | 'storeProd' | 'copy';

export interface EngineDeps {
  readonly clock: Clock;
  /** Called when the store can no longer be trusted. */
  readonly onFatal: (error: unknown) => void;
  /** Called with what became of one of several servers that keep the data. */
  readonly onServer?: ((change: ServerChange) => void) | undefined;
  /** Of an embedded store: for pages, and for items that are read by key. */
  readonly cacheMegabytes?: number | undefined;
  readonly itemCacheMegabytes?: number | undefined;
  /** For commands that change nothing: a store in a folder that cannot be written to is opened, and takes no commits. */
  readonly changesNothing?: boolean | undefined;
  /** Of a server, whether other nodes may work on the store meanwhile; a folder is had by one process anyway. */
  readonly hold?: 'shared' | 'alone' | undefined;
}

export interface StoreSizes {
  readonly dataBytes: number;
  /** Left out where they are part of the data. */
  readonly indexBytes?: number;
  /** Of the store's own log. */
  readonly logBytes?: number;
  /** Of the server, those of all its users together. */
  readonly connections?: { readonly open: number; readonly max: number };
}

/** A sentence for the operator. */
export interface UnknownSizes {
  readonly whyUnknown: string;
}

interface RowBeside {
  readonly scope: string;
  readonly pk: string;
  readonly sk: string;
  readonly value: string;
}

export interface AddressToCheck {
  /** The setting that names the address. */
  readonly setting: string;
  /** The data spaces that are to lie there. */
  readonly spaces: readonly Space[];
  /** Whether a platform runs on it, as it should. */
  readonly isRunning?: boolean;
}

/**
 * Everything that the platform and its commands know of the engine that keeps their data: a file each, entered in the
 * registry, so no other file names one.
 */
export interface StoreEngine<Address extends EngineAddress> {
  readonly kind: Address['kind'];
  /** The engine's name for operators. */
  readonly name: string;
  /** The way its addresses are written. */
  readonly forms: Readonly<Record<AddressUse, string>>;
  /**
   * The address that a text names; undefined where it names none of this engine.
   * @param defaultFolder what an address without a folder means.
   * @throws Error with a sentence that does not quote the text.
   */
  readAddress(text: string, use: AddressUse, defaultFolder: () => string): Address | undefined;
  /** The place of the data, for a sentence. */
  placeText(address: Address): string;
  /** The place of the store of one data space, for a sentence. */
  storeText(address: Address, space: Space): string;
  /** Makes what has to be there before a store is opened. @throws Error with a sentence for the operator. */
  prepare?(address: Address): Promise<void>;
  /** Opens the store of one data space, which is made unless it is there. */
  open(space: Space, address: Address, deps: EngineDeps): Promise<OpenedStore>;
  /** The room that the store of a data space takes, within seconds; left out where that is not known at once. */
  sizes?(address: Address, space: Space): Promise<StoreSizes | UnknownSizes>;
  /** Whether there is no store of the data space yet. Makes none. */
  isMissing(address: Address, space: Space): Promise<boolean>;
  /** Whether a platform may have written there. Opens no store. */
  hasWritten(address: Address): Promise<boolean>;
  /**
   * Spreads the store of one data space over the servers of a cluster, in place; left out where there is none.
   * @param done is called with what was spread now.
   */
  distribute?(space: Space, address: Address, done: (table: string) => void): Promise<void>;
  /**
   * By which nodes tell each other what they have changed, on the server that keeps `platform`; left out where one process
   * has the store. @param platformId up to 20 of a-z and 0-9.
   */
  openSignals?(address: Address, platformId: string, ears: SignalEars): Promise<SignalChannel>;
  /**
   * The items of some partitions in all scopes but those of workspaces, read beside a platform that may run. Changes nothing. Left
   * out where the store can be opened meanwhile.
   */
  rowsBeside?(address: Address, space: Space, partitions: readonly string[]): Iterable<RowBeside>;
  /** Whether a platform can keep its data there. Changes nothing. */
  check(address: Address, place: AddressToCheck, clock: Clock): Promise<readonly Finding[]>;
}
