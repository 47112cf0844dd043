import { useCan, useCreate, useList } from '@freehold/react';
import { type FormEvent, useState } from 'react';
import { Refusal } from './refusal.tsx';

export function NewTicket() {
  const [subject, setSubject] = useState('');
  const [customer, setCustomer] = useState('');
  const creation = useCreate('ticket');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const created = await creation
      .mutateAsync({ subject, ...(customer !== '' && { customer_id: customer }) })
      .catch(() => undefined);
    if (created !== undefined) location.replace(`#/tickets/${created.id}`);
  };
  return (
    <>
      <a className="back" href="#/">
        ← All tickets
      </a>
      <h1 tabIndex={-1}>New ticket</h1>
      <form className="card form" onSubmit={(event) => void submit(event)}>
        <label>
          Subject
          <input required maxLength={120} value={subject} onChange={(event) => setSubject(event.target.value)} />
        </label>
        <CustomerChoice value={customer} onChange={setCustomer} />
        <Refusal error={creation.error} />
        <div className="buttons">
          <button type="submit" className="primary" disabled={creation.isPending}>
            Create
          </button>
        </div>
      </form>
    </>
  );
}

interface CustomerChoiceProps {
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Requesters see no customers, so they choose none. */
function CustomerChoice({ value, onChange }: CustomerChoiceProps) {
  const mayList = useCan('list', 'customer') === true;
  const customers = useList('customer', { pageSize: 200, fields: ['name'] }, { enabled: mayList });
  if (!mayList) return null;
  const sorted = (customers.data?.items ?? []).toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <label>
      Customer
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">None</option>
        {sorted.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A link to the form of a new ticket, for those who may make one. */
export function NewTicketLink() {
  return useCan('create', 'ticket') === true ? (
    <a className="button primary" href="#/new">
      New ticket
    </a>
  ) : null;
}
