// Loaded into the guard of a test: on SIGUSR2 it has a fault that nobody catches, of either kind.

import process from 'node:process';

if (process.argv[2] === 'run') {
  process.on('SIGUSR2', () => {
    void Promise.reject(new Error('a planted rejection'));
    setImmediate(() => {
      throw new Error('a planted exception');
    });
  });
}
