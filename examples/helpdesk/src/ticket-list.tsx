import { type Shows, useCount, useInfiniteList } from '@freehold/react';
import { useEffect, useState } from 'react';
import { NewTicketLink } from './new-ticket.tsx';
import { Refusal } from './refusal.tsx';
import { dateOf, isStatus, StatusBadge, statuses } from './ticket-parts.tsx';
import { listHash, useHash } from './use-hash.ts';

const orders = {
  newest: { label: 'Newest first', sort: '-number' },
  oldest: { label: 'Oldest first', sort: 'number' },
  changed: { label: 'Last changed first', sort: '-updated_at' },
  urgent: { label: 'Most urgent first', sort: 'priority' },
} as const;

type Order = keyof typeof orders;

interface Filters {
  readonly status: string;
  readonly order: string;
  readonly q: string;
}

export function TicketList() {
  const { query } = useHash();
  const filters: Filters = {
    status: query.get('status') ?? '',
    order: query.get('order') ?? '',
    q: query.get('q') ?? '',
  };
  const where = isStatus(filters.status) ? { status: filters.status } : {};
  const search = { where, ...(filters.q !== '' && { q: filters.q }) };
  const order = orders[filters.order as Order] ?? orders.newest;
  const tickets = useInfiniteList(
    'ticket',
    { ...search, sort: order.sort, pageSize: 25, expand: ['customer_id'] },
    { keepPrevious: true },
  );
  const count = useCount('ticket', search, { keepPrevious: true });
  const shown = tickets.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <div className="title-row">
        <h1 tabIndex={-1}>Tickets</h1>
        <p className="count" role="status">
          {count.data !== undefined && `${count.data} ${count.data === 1 ? 'ticket' : 'tickets'}`}
        </p>
        <NewTicketLink />
      </div>
      <FilterBar filters={filters} />
      <Refusal error={tickets.error} />
      {shown.length > 0 && <Table tickets={shown} isStale={tickets.isPlaceholderData} />}
      {tickets.isSuccess && shown.length === 0 && <p className="empty">No ticket matches.</p>}
      {tickets.isPending && <p className="empty">Loading…</p>}
      {tickets.hasNextPage && (
        <button
          type="button"
          className="more"
          disabled={tickets.isFetchingNextPage}
          onClick={() => void tickets.fetchNextPage()}
        >
          Show more
        </button>
      )}
    </>
  );
}

function FilterBar({ filters }: { readonly filters: Filters }) {
  const go = (changes: Partial<Filters>) => location.replace(listHash({ ...filters, ...changes }));
  return (
    <search className="filters">
      <SearchBox key={filters.q} q={filters.q} onSearch={(q) => go({ q })} />
      <label>
        Status
        <select value={filters.status} onChange={(event) => go({ status: event.target.value })}>
          <option value="">Any</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <label>
        Order
        <select
          value={filters.order in orders ? filters.order : 'newest'}
          onChange={(event) => go({ order: event.target.value })}
        >
          {Object.entries(orders).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function SearchBox({ q, onSearch }: { readonly q: string; readonly onSearch: (q: string) => void }) {
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  return (
    <form
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <label>
        Words of the subject
        <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <button type="submit">Search</button>
    </form>
  );
}

function Table({
  tickets,
  isStale,
}: {
  readonly tickets: readonly Shows<'ticket', 'list', 'customer_id'>[];
  readonly isStale: boolean;
}) {
  return (
    <div className="table-frame" aria-busy={isStale}>
      <table>
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Subject</th>
            <th scope="col">Status</th>
            <th scope="col" className="secondary">
              Priority
            </th>
            <th scope="col" className="secondary">
              Customer
            </th>
            <th scope="col" className="secondary">
              Due
            </th>
          </tr>
        </thead>
        <tbody>
          {tickets.map((ticket) => (
            <tr key={ticket.id}>
              <td className="number">{ticket.number}</td>
              <td>
                <a href={`#/tickets/${ticket.id}`}>{ticket.subject}</a>
              </td>
              <td>
                <StatusBadge status={ticket.status} />
              </td>
              <td className="number secondary">{ticket.priority}</td>
              <td className="secondary">{ticket.expand?.customer_id?.name ?? '–'}</td>
              <td className="date secondary">{dateOf(ticket.due_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
