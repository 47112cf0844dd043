import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../frame/command-error.ts';

/** Copies a reply to a stream. @throws CommandError where it breaks off: then it is no complete export. */
export async function writeExport(response: Response, to: NodeJS.WritableStream, ends: boolean): Promise<void> {
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  let fault: Error | undefined;
  body.once('error', (error) => {
    fault = error;
  });
  try {
    await pipeline(body, to, { end: ends });
  } catch (error) {
    if (fault === undefined) throw error;
    throw new CommandError('the export broke off: what was written is not complete', {
      code: 'unreachable',
      next: 'run the command again',
    });
  }
}

/** The file has its name only when it is complete; an earlier file of that name stays until then. */
export async function writeExportFile(response: Response, path: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await writeExport(response, createWriteStream(part, { flags: 'wx' }), true);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
