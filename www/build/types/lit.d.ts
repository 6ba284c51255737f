export * from '../build/lit.js';
