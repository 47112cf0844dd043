/** The entities of the demo, as far as this app uses them. */

interface Stamps {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by?: string | null;
  readonly updated_by?: string | null;
}

interface Customer {
  readonly name: string;
  readonly tier?: 'free' | 'paid' | null;
  readonly email?: string | null;
  readonly since?: string | null;
}

interface TicketFields {
  readonly subject: string;
  readonly status?: 'open' | 'waiting' | 'closed' | null;
  readonly priority: number;
  readonly team?: string | null;
  readonly customer_id?: string | null;
  readonly requester_id?: string | null;
  readonly assignee_id?: string | null;
  readonly opened_at?: string | null;
  readonly due_at?: string | null;
}

interface CommentFields {
  readonly ticket_id: string;
  readonly body: string;
}

interface Entity<Fields, Required extends keyof Fields, Sort extends string, Expand, Computed = object> {
  readonly record: Fields & Computed & Stamps;
  readonly create: Pick<Fields, Required> & Partial<Fields>;
  readonly update: Partial<Fields>;
  readonly where: Fields & Computed;
  readonly sort: Sort | 'created_at' | 'updated_at';
  readonly views: { readonly default: Fields & Computed & Stamps };
  readonly viewsOf: object;
  readonly expand: Expand;
}

export interface Schema {
  readonly customer: Entity<Customer, 'name', 'name', object>;
  readonly ticket: Entity<
    TicketFields,
    'subject',
    'number' | 'status' | 'team' | 'opened_at' | 'priority',
    {
      readonly customer_id: { readonly one: 'customer' };
      readonly comment_via_ticket_id: { readonly many: 'comment' };
    },
    { readonly number: number }
  >;
  readonly comment: Entity<
    CommentFields,
    'ticket_id' | 'body',
    never,
    { readonly ticket_id: { readonly one: 'ticket' } }
  >;
}
