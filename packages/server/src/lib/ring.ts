/** A member of a ring; at first it is a ring alone. */
export class RingMember {
  next: this = this;
  previous: this = this;
}

/**
 * Members in the order in which they came, with a hand that goes round. It holds no iterator: V8 keeps each table that a
 * Map leaves behind, with all its entries, for as long as an iterator that has not moved since points to it.
 */
export class Ring<Member extends RingMember> {
  #hand: Member | undefined;

  get isEmpty(): boolean {
    return this.#hand === undefined;
  }

  /** The hand comes to it last. */
  add(member: Member): void {
    const hand = this.#hand;
    if (hand === undefined) {
      this.#hand = member;
      return;
    }
    member.previous = hand.previous;
    member.next = hand;
    hand.previous.next = member;
    hand.previous = member;
  }

  remove(member: Member): void {
    if (this.#hand === member) this.#hand = member.next === member ? undefined : member.next;
    member.previous.next = member.next;
    member.next.previous = member.previous;
    member.next = member;
    member.previous = member;
  }

  /** Moves the hand on by one. Returns the member that it passes. */
  turn(): Member | undefined {
    const passed = this.#hand;
    this.#hand = passed?.next;
    return passed;
  }
}
