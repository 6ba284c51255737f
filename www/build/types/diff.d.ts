export * from '../build/diff.js';
