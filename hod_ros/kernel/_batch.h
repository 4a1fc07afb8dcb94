/* Batches on all cores: memory of each thread, chunks that the threads take one after another. After _dispatch.h. */
#ifndef HOD_BATCH_H
#define HOD_BATCH_H

/* A batch, cut into chunks that the threads take one after another. */
typedef struct {
    const Tree *tree;
    const double *q, *base, *external;
    double *out, *base_wrench;
    size_t samples, chunk, next;
    int K, finite, starved;
} Batch;

static void *work_on(void *argument)
{
    Batch *b = argument;
    const Tree *t = b->tree;
    const size_t n = t->columns, K = b->K, N = t->bodies;
    void *work = aligned(block_vectors(t, b->K) * isa->width * sizeof(double));
    if (work == NULL) {
        __atomic_store_n(&b->starved, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    for (;;) {
        const size_t first = __atomic_fetch_add(&b->next, b->chunk, __ATOMIC_RELAXED);
        if (first >= b->samples)
            break;
        const size_t count = b->samples - first < b->chunk ? b->samples - first : b->chunk;
        const double *q = b->q + first * (K + 2) * n;
        double *out = b->out + first * K * n;
        int finite = isa->finite(q, count * (K + 2) * n);
        if (finite) {
            isa->samples(t, q, b->base ? b->base + first * (K + 1) * 6 : NULL, b->external ? b->external + first * K * (N + 1) * 6 : NULL,
                         out, b->base_wrench ? b->base_wrench + first * K * 6 : NULL, count, work, b->K);
            finite = isa->finite(out, count * K * n);
        }
        if (!finite) {
            __atomic_store_n(&b->finite, 0, __ATOMIC_RELAXED);
            break;
        }
    }
    free(work);
    return NULL;
}

static long cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

#define MOST_THREADS 64
#define WORTH_A_THREAD 20000.0      /* body-coefficients of work that pay for starting one */

static void run_batch(Batch *b)
{
    const double work = (double)b->samples * b->tree->bodies * b->K * (b->K + 3) / 6;
    long threads = cores();
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if (threads > 1 + work / WORTH_A_THREAD)
        threads = 1 + (long)(work / WORTH_A_THREAD);
    b->chunk = b->samples / (8 * threads) / WIDEST * WIDEST;
    if (b->chunk < WIDEST)
        b->chunk = WIDEST;
    pthread_t helper[MOST_THREADS];
    long started = 0;
    while (started < threads - 1 && pthread_create(helper + started, NULL, work_on, b) == 0)
        started++;
    work_on(b);
    for (long i = 0; i < started; i++)
        pthread_join(helper[i], NULL);
}

#endif
