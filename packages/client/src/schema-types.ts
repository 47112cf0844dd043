/** How generated types describe an app, and what replies look like by them. */

/** The members of every record beside its fields. */
export interface Stamps {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The types of one entity, as `freehold.d.ts` has them. */
export interface EntityTypes {
  /** A record as the view `default` shows it. */
  readonly record: object;
  readonly create: object;
  readonly update: object;
  /** The fields that lists filter by, each with its value. */
  readonly where: object;
  /** What lists are sorted by. */
  readonly sort: string;
  /** By name, what each view shows. */
  readonly views: object;
  /** The views of single actions, where they differ from `views`. */
  readonly viewsOf: object;
  /** What `expand` shows: `{ one: entity }`, `{ many: entity }` or `{ each: entity }`. */
  readonly expand: object;
}

/** A record of an entity without types. */
export interface AnyRecord extends Stamps {
  readonly [field: string]: unknown;
}

/** What an entity is without types: everything is allowed, and nothing is known of it. */
interface AnyEntity extends EntityTypes {
  readonly record: AnyRecord;
  readonly create: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, unknown>>;
  readonly where: Readonly<Record<string, unknown>>;
  readonly views: Readonly<Record<string, AnyRecord>>;
  readonly expand: Readonly<Record<string, object>>;
}

/** An app without types: `createApp()`. */
export type AnySchema = Readonly<Record<string, AnyEntity>>;

export type EntityName<S> = Exclude<keyof S & string, `$${string}`>;

type Types<S, E> = E extends keyof S ? (S[E] extends EntityTypes ? S[E] : AnyEntity) : AnyEntity;

export type Action = 'create' | 'get' | 'list' | 'update';

export type RecordOf<S, E> = Types<S, E>['record'];
export type CreateOf<S, E> = Types<S, E>['create'];
export type UpdateOf<S, E> = Types<S, E>['update'];

type ViewsOf<S, E, A> = Types<S, E>['viewsOf'] extends Readonly<Record<A & string, infer V>> ? V : Types<S, E>['views'];

export type ViewName<S, E, A extends Action> = keyof ViewsOf<S, E, A> & string;

/** Without a view a reply shows `default`. */
type Shown<S, E, A, V> = [V] extends [never]
  ? ViewNamed<S, E, A, 'default'>
  : V extends string
    ? ViewNamed<S, E, A, V>
    : never;
type ViewNamed<S, E, A, V> = V extends keyof ViewsOf<S, E, A> ? ViewsOf<S, E, A>[V] : Types<S, E>['record'];

/** The members that `fields` may choose: those of the view. */
export type FieldName<S, E, A extends Action, V> = keyof Shown<S, E, A, V> & string;

type FirstExpand<S, E> = keyof Types<S, E>['expand'] & string;
type Target<S, E, N> = N extends keyof Types<S, E>['expand']
  ? Types<S, E>['expand'][N] extends { readonly one: infer T } | { readonly many: infer T } | { readonly each: infer T }
    ? T
    : string
  : string;

export type ExpandName<S, E> =
  | FirstExpand<S, E>
  | { [N in FirstExpand<S, E>]: `${N}.${FirstExpand<S, Target<S, E, N>>}` }[FirstExpand<S, E>];

/** What a reply shows: the view, or the chosen members of it, and the related records. */
export type Shows<S, E, A extends Action, V, F, X> = [X] extends [never]
  ? Chosen<Shown<S, E, A, V>, F>
  : Chosen<Shown<S, E, A, V>, F> & ExpandMember<Shown<S, E, A, V>, Expanded<S, E, X>>;

type Chosen<R, F> = [F] extends [never] ? R : Flat<Pick<R, F & keyof R> & Stamps>;

/** A member of the record that is called `expand` keeps the name. */
type ExpandMember<R, M> = 'expand' extends Named<R> ? { readonly $expand: M } : { readonly expand: M };
type Named<R> = string extends keyof R ? never : keyof R;

type Expanded<S, E, X> = {
  readonly [N in First<X> & FirstExpand<S, E>]?: Related<S, Types<S, E>['expand'][N], Behind<X, N>>;
};

/** Records that the caller may not read are `null`. */
type Related<S, D, X> = D extends { readonly one: infer T }
  ? Shows<S, T, 'get', never, never, X> | null
  : D extends { readonly each: infer T }
    ? readonly (Shows<S, T, 'get', never, never, X> | null)[] | null
    : D extends { readonly many: infer T }
      ? RelatedPage<Shows<S, T, 'list', never, never, X>>
      : unknown;

/** The records that refer to another, as they are in the reply. */
export interface RelatedPage<R> {
  readonly items: readonly R[];
  readonly nexttoken: string | null;
  readonly partial?: true;
  readonly partial_reason?: 'records' | 'time';
}

type First<X> = X extends `${infer N}.${string}` ? N : X;
type Behind<X, N extends string> = X extends `${N}.${infer Rest}` ? Rest : never;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** Conditions on fields, all of which hold: a value, or one operator with its operand. */
export type Where<S, E> = string extends keyof Types<S, E>['where']
  ? Readonly<Record<string, Condition<NonNullable<unknown>>>>
  : { readonly [F in keyof Types<S, E>['where']]?: Condition<NonNullable<Types<S, E>['where'][F]>> };

type Condition<T> = [T] extends [readonly (infer Element)[]]
  ? { readonly contains: Element } | { readonly exists: boolean }
  : T | Comparison<T>;

type Comparison<T> =
  | { readonly eq: T }
  | { readonly ne: T }
  | { readonly gt: T }
  | { readonly gte: T }
  | { readonly lt: T }
  | { readonly lte: T }
  | { readonly in: readonly T[] }
  | { readonly between: readonly [T, T] }
  | { readonly exists: boolean }
  | ([T] extends [string] ? { readonly startswith: string } | { readonly contains: string } : never);

/** A field in ascending order, or in descending order with `-` before it. */
export type Sort<S, E> = Types<S, E>['sort'] | `-${Types<S, E>['sort']}`;

type Blocks<S> = S extends { readonly $blocks: infer B } ? B : Readonly<Record<string, unknown>>;

export type BlockName<S> = keyof Blocks<S> & string;
/** The input of a logic block. */
export type InputOf<S, B extends BlockName<S>> = Blocks<S>[B];
