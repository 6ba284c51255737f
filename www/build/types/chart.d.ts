export * from '../build/chart.js';
export type { ChartConfiguration } from 'chart.js';
