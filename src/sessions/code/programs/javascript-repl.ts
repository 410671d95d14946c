import { Session } from 'node:inspector';
import { Script } from 'node:vm';

/** The name of the code in stack traces. */
const CODE_NAME = 'code.js';
/** The objects that the inspector keeps for one call. */
const OBJECT_GROUP = 'call';
/** The global variable by which code that the inspector evaluates gets a value of this program. */
const TRANSFER_VARIABLE = '$transfer';

/** A value as the inspector describes it: itself if it is primitive, else by the id of the object. */
interface RemoteValue {
  objectId?: string;
  value?: unknown;
  unserializableValue?: string;
}
interface Evaluation {
  result: RemoteValue;
  exceptionDetails?: { exception?: RemoteValue };
}

/** A value that the code threw; JavaScript can throw any value. */
export class Thrown {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Evaluates JavaScript in V8's mode for interactive use: `await` at the top level, declarations that later
 * code sees and may repeat, and the value of the last expression. The code shares the global object with this
 * program.
 */
export class JavaScriptRepl {
  readonly #inspector = new Session();
  /** Where the inspector, which only describes values, puts the values themselves. */
  readonly #result: { value?: unknown } = {};
  #resultId: string | undefined;

  constructor() {
    this.#inspector.connect();
  }

  /**
   * Evaluates code, and waits for the result if it is a promise.
   * @throws Thrown
   */
  async evaluate(code: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#evaluate(`${code}\n//# sourceURL=${CODE_NAME}`);
    try {
      await this.#fetchValue(exceptionDetails ? (exceptionDetails.exception ?? {}) : result);
      if (exceptionDetails) throw new Thrown(this.#result.value);
      return await Promise.resolve(this.#result.value).catch((reason: unknown) => {
        throw new Thrown(reason);
      });
    } finally {
      delete this.#result.value;
      await this.#post('Runtime.releaseObjectGroup', { objectGroup: OBJECT_GROUP });
    }
  }

  /** The value of a variable, also of one that the code has declared; `undefined` if there is none. */
  get(name: string): unknown {
    return new Script(`typeof ${name} === 'undefined' ? undefined : ${name}`).runInThisContext();
  }

  /** Assigns a variable, also one that the code has declared, even as a constant. */
  async set(name: string, value: unknown): Promise<void> {
    try {
      new Script(`(value) => { ${name} = value; }`).runInThisContext()(value);
    } catch {
      // It is a constant, which can only be declared anew.
      await this.#withTransferVariable(value, () =>
        this.#evaluate(`const ${name} = ${TRANSFER_VARIABLE}; undefined`),
      );
    }
  }

  /** Puts the value that the inspector describes into `#result`. */
  async #fetchValue({ objectId, value, unserializableValue }: RemoteValue): Promise<void> {
    this.#resultId ??= await this.#withTransferVariable(
      this.#result,
      async () => (await this.#evaluate(TRANSFER_VARIABLE, '')).result.objectId,
    );
    await this.#post('Runtime.callFunctionOn', {
      objectId: this.#resultId,
      functionDeclaration: 'function (value) { this.value = value; }',
      arguments: [{ objectId, value, unserializableValue }],
    });
  }

  async #withTransferVariable<T>(value: unknown, work: () => Promise<T>): Promise<T> {
    Object.defineProperty(globalThis, TRANSFER_VARIABLE, { value, configurable: true });
    try {
      return await work();
    } finally {
      Reflect.deleteProperty(globalThis, TRANSFER_VARIABLE);
    }
  }

  async #evaluate(expression: string, objectGroup = OBJECT_GROUP): Promise<Evaluation> {
    const parameters = { expression, replMode: true, awaitPromise: true, objectGroup };
    // This is the form of its responses.
    return (await this.#post('Runtime.evaluate', parameters)) as Evaluation;
  }

  #post(method: string, parameters: object): Promise<object> {
    return new Promise((resolve, reject) => {
      this.#inspector.post(method, parameters, (error: Error | null, response?: object) => {
        if (error) reject(error);
        else resolve(response ?? {});
      });
    });
  }
}
