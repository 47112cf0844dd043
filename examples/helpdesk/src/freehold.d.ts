/**
 * The types of an app, made from its definitions. Changes to this file are lost when it is made again.
 * Policies may keep fields from a user: a field that is always there may then be missing.
 */
export interface Schema {
  readonly aclpolicy: {
    readonly record: {
      readonly id: string;
      readonly name: string;
      readonly statements: unknown;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      name: string;
      statements: unknown;
    };
    readonly update: {
      name?: string;
      statements?: unknown;
    };
    readonly where: {
      readonly name: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "name";
    readonly views: {
      readonly compact: {
        readonly id: string;
        readonly name: string;
      };
      readonly default: {
        readonly id: string;
        readonly name: string;
        readonly statements: unknown;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
  readonly comment: {
    readonly record: {
      readonly id: string;
      readonly ticket_id: string;
      readonly body: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      ticket_id: string;
      body: string;
    };
    readonly update: {
      ticket_id?: string;
      body?: string;
    };
    readonly where: {
      readonly ticket_id: string;
      readonly body: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "ticket_id" | "ticket_id.number" | "ticket_id.status" | "ticket_id.team" | "ticket_id.customer_id" | "ticket_id.opened_at" | "ticket_id.priority" | "ticket_id.updated_at";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly ticket_id: string;
        readonly body: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: {
      readonly ticket_id: { readonly one: "ticket" };
    };
  };
  readonly customer: {
    readonly record: {
      readonly id: string;
      readonly name: string;
      readonly tier?: "free" | "paid";
      readonly email?: string;
      readonly since?: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      name: string;
      tier?: "free" | "paid" | null;
      email?: string | null;
      since?: string | null;
    };
    readonly update: {
      name?: string;
      tier?: "free" | "paid" | null;
      email?: string | null;
      since?: string | null;
    };
    readonly where: {
      readonly name: string;
      readonly tier: "free" | "paid";
      readonly email: string;
      readonly since: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "name";
    readonly views: {
      readonly compact: {
        readonly id: string;
        readonly name: string;
      };
      readonly default: {
        readonly id: string;
        readonly name: string;
        readonly tier?: "free" | "paid";
        readonly email?: string;
        readonly since?: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: {
      readonly ticket_via_customer_id: { readonly many: "ticket" };
    };
  };
  readonly group: {
    readonly record: {
      readonly id: string;
      readonly name: string;
      readonly acl_policies?: unknown;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      name: string;
      acl_policies?: unknown;
    };
    readonly update: {
      name?: string;
      acl_policies?: unknown;
    };
    readonly where: {
      readonly name: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "name";
    readonly views: {
      readonly compact: {
        readonly id: string;
        readonly name: string;
      };
      readonly default: {
        readonly id: string;
        readonly name: string;
        readonly acl_policies?: unknown;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
  readonly tag: {
    readonly record: {
      readonly id: string;
      readonly name: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      name: string;
    };
    readonly update: {
      name?: string;
    };
    readonly where: {
      readonly name: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "name";
    readonly views: {
      readonly compact: {
        readonly id: string;
        readonly name: string;
      };
      readonly default: {
        readonly id: string;
        readonly name: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: {
      readonly ticket_via_tag_ids: { readonly many: "ticket" };
    };
  };
  readonly ticket: {
    readonly record: {
      readonly id: string;
      readonly number?: number;
      readonly subject: string;
      readonly status?: "open" | "waiting" | "closed";
      readonly team?: string;
      readonly customer_id?: string;
      readonly requester_id?: string;
      readonly assignee_id?: string;
      readonly tag_ids?: readonly string[];
      readonly opened_at?: string;
      readonly due_at?: string;
      readonly priority: number;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      subject: string;
      status?: "open" | "waiting" | "closed" | null;
      team?: string | null;
      customer_id?: string | null;
      requester_id?: string | null;
      assignee_id?: string | null;
      tag_ids?: readonly string[] | null;
      opened_at?: string | null;
      due_at?: string | null;
      priority?: number;
    };
    readonly update: {
      subject?: string;
      status?: "open" | "waiting" | "closed" | null;
      team?: string | null;
      customer_id?: string | null;
      requester_id?: string | null;
      assignee_id?: string | null;
      tag_ids?: readonly string[] | null;
      opened_at?: string | null;
      due_at?: string | null;
      priority?: number;
    };
    readonly where: {
      readonly number: number;
      readonly subject: string;
      readonly status: "open" | "waiting" | "closed";
      readonly team: string;
      readonly customer_id: string;
      readonly requester_id: string;
      readonly assignee_id: string;
      readonly tag_ids: readonly string[];
      readonly opened_at: string;
      readonly due_at: string;
      readonly priority: number;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "number" | "status" | "team" | "customer_id" | "opened_at" | "priority" | "customer_id.name" | "customer_id.updated_at";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly number?: number;
        readonly subject: string;
        readonly status?: "open" | "waiting" | "closed";
        readonly team?: string;
        readonly customer_id?: string;
        readonly requester_id?: string;
        readonly assignee_id?: string;
        readonly tag_ids?: readonly string[];
        readonly opened_at?: string;
        readonly due_at?: string;
        readonly priority: number;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: {
      readonly customer_id: { readonly one: "customer" };
      readonly tag_ids: { readonly each: "tag" };
      readonly comment_via_ticket_id: { readonly many: "comment" };
      readonly time_via_ticket_id: { readonly many: "time" };
    };
  };
  readonly time: {
    readonly record: {
      readonly id: string;
      readonly ticket_id: string;
      readonly starts?: string;
      readonly ends?: string;
      readonly minutes: number;
      readonly rate?: number;
      readonly cost?: number;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      ticket_id: string;
      starts?: string | null;
      ends?: string | null;
      minutes: number;
      rate?: number | null;
    };
    readonly update: {
      ticket_id?: string;
      starts?: string | null;
      ends?: string | null;
      minutes?: number;
      rate?: number | null;
    };
    readonly where: {
      readonly ticket_id: string;
      readonly starts: string;
      readonly ends: string;
      readonly minutes: number;
      readonly rate: number;
      readonly cost: number;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "ticket_id" | "cost" | "ticket_id.number" | "ticket_id.status" | "ticket_id.team" | "ticket_id.customer_id" | "ticket_id.opened_at" | "ticket_id.priority" | "ticket_id.updated_at";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly ticket_id: string;
        readonly starts?: string;
        readonly ends?: string;
        readonly minutes: number;
        readonly rate?: number;
        readonly cost?: number;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: {
      readonly ticket_id: { readonly one: "ticket" };
    };
  };
  readonly user: {
    readonly record: {
      readonly id: string;
      readonly email: string;
      readonly fn?: string;
      readonly ln?: string;
      readonly picture?: string;
      readonly role?: string;
      readonly status?: "active" | "suspended" | "password_suspended";
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      email: string;
      fn?: string | null;
      ln?: string | null;
      picture?: string | null;
      role?: string | null;
      status?: "active" | "suspended" | "password_suspended" | null;
    };
    readonly update: {
      email?: string;
      fn?: string | null;
      ln?: string | null;
      picture?: string | null;
      role?: string | null;
      status?: "active" | "suspended" | "password_suspended" | null;
    };
    readonly where: {
      readonly email: string;
      readonly fn: string;
      readonly ln: string;
      readonly picture: string;
      readonly role: string;
      readonly status: "active" | "suspended" | "password_suspended";
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "email";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly email: string;
        readonly fn?: string;
        readonly ln?: string;
        readonly picture?: string;
        readonly role?: string;
        readonly status?: "active" | "suspended" | "password_suspended";
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
  readonly useraclpolicy: {
    readonly record: {
      readonly id: string;
      readonly user_id: string;
      readonly acl_policy_id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      user_id: string;
      acl_policy_id: string;
    };
    readonly update: {
      user_id?: string;
      acl_policy_id?: string;
    };
    readonly where: {
      readonly user_id: string;
      readonly acl_policy_id: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "user_id" | "acl_policy_id";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly user_id: string;
        readonly acl_policy_id: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
  readonly usergroup: {
    readonly record: {
      readonly id: string;
      readonly user_id: string;
      readonly group_id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      user_id: string;
      group_id: string;
    };
    readonly update: {
      user_id?: string;
      group_id?: string;
    };
    readonly where: {
      readonly user_id: string;
      readonly group_id: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "user_id" | "group_id";
    readonly views: {
      readonly compact: {
        readonly id: string;
      };
      readonly default: {
        readonly id: string;
        readonly user_id: string;
        readonly group_id: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
  readonly userrole: {
    readonly record: {
      readonly id: string;
      readonly name: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
      readonly version: number;
    };
    readonly create: {
      name: string;
    };
    readonly update: {
      name?: string;
    };
    readonly where: {
      readonly name: string;
      readonly id: string;
      readonly created_at: string;
      readonly updated_at: string;
      readonly created_by: string;
      readonly updated_by: string;
    };
    readonly sort: "created_at" | "updated_at" | "name";
    readonly views: {
      readonly compact: {
        readonly id: string;
        readonly name: string;
      };
      readonly default: {
        readonly id: string;
        readonly name: string;
        readonly created_at: string;
        readonly updated_at: string;
        readonly created_by: string;
        readonly updated_by: string;
        readonly version: number;
      };
    };
    readonly viewsOf: Record<never, never>;
    readonly expand: Record<never, never>;
  };
}
