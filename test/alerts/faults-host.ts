// Faults of the machine: its processes, disk, clock, and what feeds it.

import type { Fault } from './fault.ts';

const MINUTE = 60_000;

export const HOST_FAULTS: readonly Fault[] = [
  {
    name: 'crash',
    says: 'the trader dies once and is back within seconds',
    fires: ['BookendTraderDied'],
    strike: (daemon) => daemon.die('signal', 3_000),
  },
  {
    name: 'crash-loop',
    says: 'the trader dies each minute',
    fires: ['BookendTraderDied', 'BookendRestarting'],
    strike: (daemon) => daemon.repeat(6, MINUTE, () => daemon.die('exit', 3_000)),
  },
  {
    name: 'gone',
    says: 'the trader is gone, and nobody starts another',
    fires: ['BookendDown'],
    strike: (daemon) => daemon.die('signal', 60 * MINUTE),
  },
  {
    name: 'disk-full',
    says: 'the ledger cannot be written for six minutes',
    fires: ['BookendNotReady'],
    strike: (daemon) => daemon.episode('diskFails', 6 * MINUTE),
  },
  {
    name: 'disk-slow',
    says: 'commits take the better part of a second for twelve minutes',
    fires: ['BookendMachineStrained'],
    strike: (daemon) => daemon.episode('diskSlow', 12 * MINUTE, 0.5),
  },
  {
    name: 'paused-on-a-full-disk',
    says: 'an operator pauses while the disk takes nothing',
    fires: ['BookendStopNotOnDisk'],
    strike: (daemon) => {
      daemon.episode('diskFails', 5 * MINUTE);
      daemon.at(2_000, () => daemon.operator({ kind: 'pause', by: 'operator' }));
    },
  },
  {
    name: 'records-dropped',
    says: 'the recording gives up lines, since its disk is too slow',
    fires: ['BookendMachineStrained'],
    strike: (daemon) => {
      daemon.repeat(20, 15_000, () => {
        daemon.droppedRecords += 40;
      });
    },
  },
  {
    name: 'loop-late',
    says: 'the machine lets the trader wait for seconds, for twelve minutes',
    fires: ['BookendMachineStrained'],
    strike: (daemon) => daemon.episode('busyHost', 12 * MINUTE),
  },
  {
    name: 'loop-late-for-seconds',
    says: 'the machine is busy for half a minute',
    fires: [],
    strike: (daemon) => daemon.episode('busyHost', 30_000),
  },
  {
    name: 'clock-ahead',
    says: 'the clock of the machine goes twelve seconds ahead of the venue',
    fires: ['BookendMachineStrained'],
    strike: ({ host }) => host.jump(12_000),
  },
  {
    name: 'feed-down',
    says: 'the source of external prices cannot be read',
    fires: ['BookendFeedDown'],
    strike: (daemon) => {
      daemon.feed = 'down';
    },
  },
];
