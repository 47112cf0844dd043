/** Questions and answers between the main thread and a worker; either side asks. */

interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

type Message =
  | { readonly ask: number; readonly topic: string; readonly payload: unknown }
  | { readonly to: number; readonly value: unknown }
  | { readonly to: number; readonly error: string };

export type Handler = (payload: unknown) => unknown;

export class Channel {
  readonly #port: Port;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #handlers = new Map<string, PromiseWithResolvers<Handler>>();
  #last = 0;
  #fault: Error | undefined;

  constructor(port: Port) {
    this.#port = port;
    port.on('message', (message) => this.#take(message));
  }

  /** @throws Error where the other side fails to answer, or is gone. */
  ask(topic: string, payload?: unknown): Promise<unknown> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    const answer = Promise.withResolvers<unknown>();
    this.#last += 1;
    this.#asked.set(this.#last, answer);
    this.#port.postMessage({ ask: this.#last, topic, payload });
    return answer.promise;
  }

  /** Answers a topic. A question that came before waits for this. */
  serve(topic: string, handler: Handler): void {
    this.#handlerOf(topic).resolve(handler);
  }

  /** The other side is gone. */
  end(error: Error): void {
    this.#fault = error;
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }

  #take(message: Message): void {
    if ('ask' in message) {
      void this.#answer(message);
      return;
    }
    const asked = this.#asked.get(message.to);
    this.#asked.delete(message.to);
    if ('error' in message) asked?.reject(new Error(message.error));
    else asked?.resolve(message.value);
  }

  async #answer({ ask: to, topic, payload }: Extract<Message, { readonly ask: number }>): Promise<void> {
    try {
      const handler = await this.#handlerOf(topic).promise;
      this.#port.postMessage({ to, value: await handler(payload) });
    } catch (error) {
      this.#port.postMessage({ to, error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Both sides are of one program, so topics are few and known. */
  #handlerOf(topic: string): PromiseWithResolvers<Handler> {
    const known = this.#handlers.get(topic) ?? Promise.withResolvers<Handler>();
    this.#handlers.set(topic, known);
    return known;
  }
}
