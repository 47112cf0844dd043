/**
 * Loaded into the platform (`--import`): a second server in its process, on a port of its own, whose answers take the
 * same kinds of work as the platform's: HTTP, a hash, reads of SQLite, JSON. What slows one slows the other alike: the
 * machine, its neighbours, the runtime, the collector. It must not be made faster or slower: recorded ratios are to it.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Usage } from '../report-cpu.ts';

export interface Report extends Usage {
  readonly referencePort: number;
}

const records = 1000;
const directory = mkdtempSync(join(tmpdir(), 'freehold-reference-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const database = new DatabaseSync(join(directory, 'reference.db'));
database.exec('pragma journal_mode = wal; create table item (place integer primary key, text text)');
const insert = database.prepare('insert into item values (?, ?)');
database.exec('begin');
for (let place = 0; place < records; place++) insert.run(place, JSON.stringify(item(place)));
database.exec('commit');
const read = database.prepare('select text from item where place >= ? order by place limit ?');

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost');
  const [place, limit] = [Number(url.searchParams.get('place')), Number(url.searchParams.get('limit'))];
  const seal = createHash('sha256').update(String(request.headers.authorization)).digest('base64url');
  const rows = read.all(place, limit) as { readonly text: string }[];
  const items = rows.map(({ text }) => JSON.parse(text) as Readonly<Record<string, unknown>>);
  const body = JSON.stringify({ items: items.map((one) => ({ ...one, seen: true })), seal });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});

server.listen(0, '127.0.0.1');

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const address = server.address();
  const report: Report = {
    cpuMicroseconds: user + system,
    residentBytes: process.memoryUsage.rss(),
    referencePort: address === null || typeof address === 'string' ? 0 : address.port,
  };
  process.send?.(report);
});
process.channel?.unref();
server.unref();

function item(place: number) {
  return {
    id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`,
    title: `Ticket number ${place}`,
    status: `status-${place % 5}`,
    amount: 100 + place / 4,
    note: 'Please leave it with the neighbours when no one answers the door.',
    created_at: '2026-11-20T00:00:00.000Z',
    updated_at: '2026-11-20T00:00:00.000Z',
    version: 1,
  };
}
