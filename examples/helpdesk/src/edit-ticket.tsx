import { VersionConflictError } from '@freehold/client';
import { type RecordOf, useApp, useCan, useUpdate } from '@freehold/react';
import { type FormEvent, useState } from 'react';
import { Conflict, type Draft, draftOf, mergeOf } from './conflict.tsx';
import { Refusal } from './refusal.tsx';
import { priorities, statuses } from './ticket-parts.tsx';

type Ticket = RecordOf<'ticket'>;

interface EditTicketProps {
  /** The ticket as it was when the form opened. */
  readonly shown: Ticket;
  readonly onDone: () => void;
}

/** Sends the fields that the user has changed, and asks the user where another tab or colleague has been faster. */
export function EditTicket({ shown, onDone }: EditTicketProps) {
  const app = useApp();
  const update = useUpdate('ticket');
  const [base, setBase] = useState(shown);
  const [draft, setDraft] = useState<Draft>(() => draftOf(shown));
  const [current, setCurrent] = useState<Ticket>();
  const isConflict = update.error instanceof VersionConflictError;
  const save = async (wanted: Draft, on: Ticket) => {
    const changes = changesOf(wanted, on);
    if (Object.keys(changes).length === 0) return onDone();
    await update.mutateAsync({ record: on, changes }).then(onDone, async (error: unknown) => {
      if (error instanceof VersionConflictError)
        setCurrent(
          (await app
            .entity('ticket')
            .get(shown.id)
            .catch(() => undefined)) as Ticket | undefined,
        );
    });
  };
  if (current !== undefined)
    return (
      <Conflict
        shown={base}
        mine={draft}
        current={current}
        isBusy={update.isPending}
        onCancel={onDone}
        onChosen={(chosen) => {
          setBase(current);
          setDraft(chosen);
          setCurrent(undefined);
          void save(chosen, current);
        }}
      />
    );
  return (
    <TicketForm
      id={shown.id}
      draft={draft}
      error={isConflict ? null : update.error}
      isBusy={update.isPending}
      onChange={setDraft}
      onCancel={onDone}
      onSubmit={() => void save(draft, base)}
    />
  );
}

function changesOf(draft: Draft, base: Ticket): Partial<Draft> {
  return mergeOf(draftOf(base), draft);
}

interface TicketFormProps {
  readonly id: string;
  readonly draft: Draft;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly onChange: (draft: Draft) => void;
  readonly onCancel: () => void;
  readonly onSubmit: () => void;
}

/** A field that the user may not change is shown and cannot be edited. */
function TicketForm({ id, draft, error, isBusy, onChange, onCancel, onSubmit }: TicketFormProps) {
  const maySubject = useCan('update', 'ticket', id, { subject: 'another subject' }) === true;
  const mayStatus = useCan('update', 'ticket', id, { status: 'waiting' }) === true;
  const mayPriority = useCan('update', 'ticket', id, { priority: 1 }) === true;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="card form" aria-label="Edit ticket" onSubmit={submit}>
      <label>
        Subject
        <input
          required
          maxLength={120}
          value={draft.subject}
          disabled={!maySubject}
          onChange={(event) => onChange({ ...draft, subject: event.target.value })}
        />
      </label>
      <label>
        Status
        <select
          value={draft.status}
          disabled={!mayStatus}
          onChange={(event) => onChange({ ...draft, status: event.target.value as Draft['status'] })}
        >
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <label>
        Priority
        <select
          value={draft.priority}
          disabled={!mayPriority}
          onChange={(event) => onChange({ ...draft, priority: Number(event.target.value) })}
        >
          {priorities.map((priority) => (
            <option key={priority}>{priority}</option>
          ))}
        </select>
      </label>
      <Refusal error={error} />
      <div className="buttons">
        <button type="submit" className="primary" disabled={isBusy}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
