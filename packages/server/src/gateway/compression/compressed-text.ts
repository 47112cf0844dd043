import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { singleFlight } from '../../lib/scheduling/single-flight.ts';

const inThreadPool = promisify(gzip);

/** The thread pool has four threads for all that a process does: it hashes passwords and reads files too. */
const atOnceMax = 2;
let underWay = 0;

/** Below, it saves a packet or two. */
const bytesMin = 16 * 1024;

/** Undefined for a short text, and where as many as may be are being compressed: to wait would take longer than to send it. */
export async function compressedText(text: string | Uint8Array): Promise<Uint8Array | undefined> {
  if (underWay >= atOnceMax || Buffer.byteLength(text) < bytesMin) return undefined;
  underWay++;
  try {
    return await inThreadPool(text);
  } finally {
    underWay--;
  }
}

const keptBytesMax = 16 * 1024 * 1024;
const kept = new BoundedMap<string, Uint8Array>(keptBytesMax, ({ byteLength }) => byteLength);
const flights = singleFlight<string, Uint8Array | undefined>();

/**
 * A text that many ask for, compressed once. Undefined where it is not compressed now.
 * @param digest of the text, by which it is kept.
 */
export async function keptCompressed(digest: string, read: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  const known = kept.get(digest);
  if (known !== undefined) return known;
  return flights(digest, async () => {
    const made = await compressedText(await read());
    if (made !== undefined) kept.set(digest, made);
    return made;
  });
}
