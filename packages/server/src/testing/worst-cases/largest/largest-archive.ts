import { readTarHeader, tarBlockBytes, wholeTarBlocks } from '@freehold/contract/archive/tar';
import { archiveBytesMax } from '../../../promotion/port.ts';
import { ask } from '../send.ts';
import type { Stage } from '../stage.ts';
import type { RequestOptions } from '../worst-case.ts';

/** The end marker of an archive. */
const endBytes = 2 * tarBlockBytes;

/** The configuration of test as it is, as much of it as an import takes. */
export async function wholeArchive({ download }: Stage): Promise<RequestOptions> {
  return request(filesWithin(await download('/deploy/export?env=test'), archiveBytesMax, () => true));
}

let changes = 0;

/** Logic blocks of which each step is another than it stands. */
export async function changedArchive({ download }: Stage, bytesMax = archiveBytesMax): Promise<RequestOptions> {
  changes += 1;
  const letter = 'bcdefghijklmnopqrstuvwxyz'[changes % 25];
  const changed = (await download('/deploy/export?env=test')).replaceAll(stepAddress, `https://${letter}.example/`);
  return request(filesWithin(changed, bytesMax, (name) => /\/(logicblock\/.*|freehold\.json)$/.test(name)));
}

/** Each such address has the same length, so replacing one keeps the sizes in the archive's headers true. */
const stepAddress = /https:\/\/[a-z]\.example\//g;

/** As many of them as one commit takes, with what agrees to the change. */
export async function agreedArchive(stage: Stage): Promise<RequestOptions> {
  const archive = await changedArchive(stage, 10 * 1024 * 1024);
  const { text } = await ask(stage.raw({ as: 'builder', method: 'POST', target: '/deploy/import', ...archive }));
  const { base }: { readonly base: string } = JSON.parse(text);
  return { ...archive, target: `/deploy/import?base=${encodeURIComponent(base)}` };
}

function request(body: Buffer): RequestOptions {
  return { headers: { 'content-type': 'application/x-tar' }, body };
}

function filesWithin(text: string, bytesMax: number, isWanted: (name: string) => boolean): Buffer {
  const archive = Buffer.from(text);
  const kept: Buffer[] = [];
  let bytes = endBytes;
  for (let at = 0; ; ) {
    const entry = readTarHeader(archive.subarray(at, at + tarBlockBytes));
    if (entry === undefined) return Buffer.concat([...kept, Buffer.alloc(endBytes)]);
    const size = tarBlockBytes + wholeTarBlocks(entry.size);
    if (bytes + size <= bytesMax && isWanted(entry.name)) {
      kept.push(archive.subarray(at, at + size));
      bytes += size;
    }
    at += size;
  }
}
