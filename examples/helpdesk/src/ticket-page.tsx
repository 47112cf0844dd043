import { type Shows, useCan, useDelete, useRecord, useSession, useUpdate } from '@freehold/react';
import { useState } from 'react';
import { Comments } from './comments.tsx';
import { EditTicket } from './edit-ticket.tsx';
import { Refusal } from './refusal.tsx';
import { dateOf, StatusBadge, timeOf } from './ticket-parts.tsx';

type Ticket = Shows<'ticket', 'get', 'customer_id'>;

export function TicketPage({ id }: { readonly id: string }) {
  const ticket = useRecord('ticket', id, { expand: ['customer_id'] });
  // The record as it was when the form opened: a change is based on that state, also if it is read again meanwhile.
  const [edited, setEdited] = useState<Ticket>();
  return (
    <>
      <a className="back" href="#/">
        ← All tickets
      </a>
      <Refusal error={ticket.error} />
      {ticket.isPending && <p className="empty">Loading…</p>}
      {ticket.data !== undefined && (
        <article>
          <div className="title-row">
            <h1 tabIndex={-1}>
              <span className="muted">#{ticket.data.number}</span> {ticket.data.subject}
            </h1>
            <StatusBadge status={ticket.data.status} />
          </div>
          <div className="columns">
            <div>
              {edited === undefined ? (
                <Details ticket={ticket.data} onEdit={() => setEdited(ticket.data)} />
              ) : (
                <EditTicket shown={edited} onDone={() => setEdited(undefined)} />
              )}
              <Comments ticket={id} />
            </div>
            <Customer ticket={ticket.data} />
          </div>
        </article>
      )}
    </>
  );
}

function Details({ ticket, onEdit }: { readonly ticket: Ticket; readonly onEdit: () => void }) {
  return (
    <section className="card details" aria-label="Details">
      <dl>
        <dt>Priority</dt>
        <dd>{ticket.priority}</dd>
        <dt>Team</dt>
        <dd>{ticket.team ?? '–'}</dd>
        <dt>Assigned to</dt>
        <dd>
          <Assignee ticket={ticket} />
        </dd>
        <dt>Opened</dt>
        <dd>{timeOf(ticket.opened_at ?? ticket.created_at)}</dd>
        <dt>Due</dt>
        <dd>{dateOf(ticket.due_at)}</dd>
        <dt>Last change</dt>
        <dd>{timeOf(ticket.updated_at)}</dd>
      </dl>
      <Actions ticket={ticket} onEdit={onEdit} />
    </section>
  );
}

function Assignee({ ticket }: { readonly ticket: Ticket }) {
  const { session } = useSession();
  if (ticket.assignee_id == null) return 'no agent yet';
  return ticket.assignee_id === session?.userId ? 'you' : 'another agent';
}

/** Only what the user may do to this ticket is offered. All four questions are one call. */
function Actions({ ticket, onEdit }: { readonly ticket: Ticket; readonly onEdit: () => void }) {
  const { session } = useSession();
  const me = session?.userId ?? '';
  const isMine = ticket.assignee_id === me;
  const mayEdit = useCan('update', 'ticket', ticket.id, {}) === true;
  const mayTake = useCan('update', 'ticket', ticket.id, { assignee_id: me }) === true;
  const mayRelease = useCan('update', 'ticket', ticket.id, { assignee_id: null }) === true;
  const mayDelete = useCan('delete', 'ticket', ticket.id) === true;
  const update = useUpdate('ticket', { optimistic: true });
  const removal = useDelete('ticket');
  const assignTo = (assignee_id: string | null) => update.mutate({ record: ticket, changes: { assignee_id } });
  const remove = async () => {
    await removal.mutateAsync(ticket).then(
      () => location.replace('#/'),
      () => undefined,
    );
  };
  return (
    <>
      <Refusal error={update.error ?? removal.error} />
      <div className="buttons">
        {mayEdit && (
          <button type="button" className="primary" onClick={onEdit}>
            Edit
          </button>
        )}
        {!isMine && mayTake && (
          <button type="button" disabled={update.isPending} onClick={() => assignTo(me)}>
            Take
          </button>
        )}
        {isMine && mayRelease && (
          <button type="button" disabled={update.isPending} onClick={() => assignTo(null)}>
            Hand back
          </button>
        )}
        {mayDelete && <DeleteButton isBusy={removal.isPending} onDelete={() => void remove()} />}
      </div>
    </>
  );
}

/** Asks once more in place. */
function DeleteButton({ isBusy, onDelete }: { readonly isBusy: boolean; readonly onDelete: () => void }) {
  const [isOpen, setRequested] = useState(false);
  if (!isOpen)
    return (
      <button type="button" className="danger" onClick={() => setRequested(true)}>
        Delete
      </button>
    );
  return (
    <>
      <button type="button" className="danger" disabled={isBusy} onClick={onDelete}>
        Delete for good
      </button>
      <button type="button" onClick={() => setRequested(false)}>
        Keep
      </button>
    </>
  );
}

function Customer({ ticket }: { readonly ticket: Ticket }) {
  const customer = ticket.expand?.customer_id;
  if (customer == null) return null;
  return (
    <aside className="card" aria-label="Customer">
      <h2>{customer.name}</h2>
      <dl>
        <dt>Tier</dt>
        <dd>{customer.tier}</dd>
        <dt>Email</dt>
        <dd>{customer.email ?? '–'}</dd>
        <dt>Customer since</dt>
        <dd>{dateOf(customer.since)}</dd>
      </dl>
    </aside>
  );
}
