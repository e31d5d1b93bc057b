// Tasks in the order in which they are due; tasks due together stay in the order of arrival.

export type Task = {
  readonly dueMs: number;
  readonly sequence: number;
  readonly run: () => void;
  isCalledOff: boolean;
};

/** Called-off tasks may lie in the heap until they outnumber the live ones; below this we leave them. */
const COMPACT_MIN = 64;

/** A binary heap. Calling a task off is O(1); the heap never holds twice what is alive. */
export class TaskQueue {
  #heap: Task[] = [];
  #alive = 0;
  #sequence = 0;

  get size(): number {
    return this.#alive;
  }

  add(dueMs: number, run: () => void): Task {
    const task: Task = { dueMs, sequence: this.#sequence++, run, isCalledOff: false };
    this.#heap.push(task);
    this.#alive += 1;
    this.#rise(this.#heap.length - 1);
    return task;
  }

  callOff(task: Task): void {
    if (task.isCalledOff) return;
    task.isCalledOff = true;
    this.#alive -= 1;
    if (this.#heap.length >= COMPACT_MIN && this.#alive * 2 < this.#heap.length) this.#compact();
  }

  /** The next task without taking it out. */
  peek(): Task | undefined {
    while (this.#heap[0]?.isCalledOff) this.#takeTop();
    return this.#heap[0];
  }

  /** Takes out the next task; from now on it cannot be called off. */
  take(): Task | undefined {
    const task = this.peek();
    if (!task) return undefined;
    this.#takeTop();
    task.isCalledOff = true;
    this.#alive -= 1;
    return task;
  }

  clear(): void {
    this.#heap = [];
    this.#alive = 0;
  }

  #takeTop(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
  }

  #compact(): void {
    this.#heap = this.#heap.filter((task) => !task.isCalledOff).sort(inOrder);
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === undefined || !this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #earlierChild(index: number): number | undefined {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    if (!left) return undefined;
    return right && inOrder(right, left) < 0 ? 2 * index + 2 : 2 * index + 1;
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const below = this.#heap[lower];
    const above = this.#heap[upper];
    if (!below || !above || inOrder(below, above) >= 0) return false;
    this.#heap[lower] = above;
    this.#heap[upper] = below;
    return true;
  }
}

function inOrder(a: Task, b: Task): number {
  return a.dueMs - b.dueMs || a.sequence - b.sequence;
}
