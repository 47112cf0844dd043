import type { TraceEvent } from './trace.ts';

/** The contents of a file, or may hold, when the power goes. */
interface FileState {
  durable: Buffer;
  /** Since the last sync, in order. */
  pending: readonly Pending[];
}

type Pending = Extract<TraceEvent, { readonly kind: 'write' | 'truncate' }>;

const sectorBytes = 512;

/** A disk that keeps what was synced. Of the rest it keeps what chance decides, sector by sector. */
export class DiskModel {
  readonly #files = new Map<string, FileState>();
  /** What each sync that is under way will have made durable. */
  readonly #syncing = new Map<string, readonly Pending[]>();

  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [path, durable] of files) this.#files.set(path, { durable, pending: [] });
  }

  take(event: TraceEvent): void {
    if (event.kind === 'said') return;
    const file = this.#file(event.path);
    if (event.kind === 'sync-begun') {
      this.#syncing.set(event.thread, file.pending);
    } else if (event.kind === 'synced') {
      const covered = this.#syncing.get(event.thread) ?? [];
      file.durable = changed(file.durable, covered);
      file.pending = file.pending.filter((pending) => !covered.includes(pending));
    } else {
      file.pending = [...file.pending, event];
    }
  }

  /** The files as they are found after the power was lost now. `isKept` is asked for each sector that was not synced. */
  afterPowerLoss(isKept: () => boolean): ReadonlyMap<string, Buffer> {
    const found = new Map<string, Buffer>();
    for (const [path, { durable, pending }] of this.#files)
      found.set(
        path,
        changed(
          durable,
          pending.flatMap((one) => kept(one, isKept)),
        ),
      );
    return found;
  }

  #file(path: string): FileState {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file: FileState = { durable: Buffer.alloc(0), pending: [] };
    this.#files.set(path, file);
    return file;
  }
}

function kept(pending: Pending, isKept: () => boolean): readonly Pending[] {
  if (pending.kind === 'truncate') return isKept() ? [pending] : [];
  const parts: Pending[] = [];
  for (let from = 0; from < pending.bytes.length; from += sectorBytes) {
    if (isKept())
      parts.push({ ...pending, at: pending.at + from, bytes: pending.bytes.subarray(from, from + sectorBytes) });
  }
  return parts;
}

/** What a file grows by reads as zeros. */
function changed(content: Buffer, changes: readonly Pending[]): Buffer {
  const ends = changes.map((change) => (change.kind === 'truncate' ? change.size : change.at + change.bytes.length));
  const next = Buffer.alloc(Math.max(content.length, ...ends));
  content.copy(next);
  let size = content.length;
  for (const [index, change] of changes.entries()) {
    const end = ends[index] ?? 0;
    if (change.kind === 'write') change.bytes.copy(next, change.at);
    else next.fill(0, end);
    size = change.kind === 'write' ? Math.max(size, end) : end;
  }
  return next.subarray(0, size);
}
