import { useCan, useCreate, useInfiniteList, useSession } from '@freehold/react';
import { type FormEvent, useState } from 'react';
import { Refusal } from './refusal.tsx';
import { timeOf } from './ticket-parts.tsx';

/** Comments stay among agents: requesters see none, and are not asked for any. */
export function Comments({ ticket }: { readonly ticket: string }) {
  const mayRead = useCan('list', 'comment') === true;
  const mayWrite = useCan('create', 'comment', undefined, { ticket_id: ticket, body: 'text' }) === true;
  if (!(mayRead || mayWrite)) return null;
  return (
    <section className="comments" aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {mayWrite && <CommentForm ticket={ticket} />}
      {mayRead && <CommentList ticket={ticket} />}
    </section>
  );
}

function CommentList({ ticket }: { readonly ticket: string }) {
  const { session } = useSession();
  const comments = useInfiniteList('comment', { where: { ticket_id: ticket }, pageSize: 10 });
  const shown = comments.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <Refusal error={comments.error} />
      {comments.isSuccess && shown.length === 0 && <p className="empty">No comment yet.</p>}
      <ol>
        {shown.map(({ id, body, created_at, created_by }) => (
          <li key={id} className="card comment">
            <p className="muted">
              {created_by === session?.userId ? 'You' : 'A colleague'}, {timeOf(created_at)}
            </p>
            <p className="text">{body}</p>
          </li>
        ))}
      </ol>
      {comments.hasNextPage && (
        <button type="button" disabled={comments.isFetchingNextPage} onClick={() => void comments.fetchNextPage()}>
          Earlier comments
        </button>
      )}
    </>
  );
}

function CommentForm({ ticket }: { readonly ticket: string }) {
  const [body, setBody] = useState('');
  const creation = useCreate('comment');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await creation.mutateAsync({ ticket_id: ticket, body }).then(
      () => setBody(''),
      () => undefined,
    );
  };
  return (
    <form className="card form" onSubmit={(event) => void submit(event)}>
      <label>
        Add a comment
        <textarea required rows={3} value={body} onChange={(event) => setBody(event.target.value)} />
      </label>
      <Refusal error={creation.error} />
      <div className="buttons">
        <button type="submit" disabled={creation.isPending}>
          Comment
        </button>
      </div>
    </form>
  );
}
