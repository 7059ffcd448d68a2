static void box_blur_avx512_body(int64_t H, int64_t W, const uint16_t *restrict src, uint16_t *restrict dst)
{
    for (int64_t yo = 0; yo < H / 4; yo++) {
        for (int64_t xo = 0; xo < W / 16; xo++) {
            __m512i total[4];
            for (int64_t yi = 0; yi < 4; yi++) {
                total[yi] = _mm512_setzero_si512();
            }
            for (int64_t yi = 0; yi < 4; yi++) {
                for (int64_t dy = 0; dy < 3; dy++) {
                    for (int64_t dx = 0; dx < 3; dx++) {
                        __m512i pixel = _mm512_setzero_si512();
                        pixel = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(&src[(4 * yo + yi + dy) * (W + 2) + (16 * xo + dx)])));
                        total[yi] = _mm512_add_epi32(total[yi], pixel);
                    }
                }
            }
            for (int64_t yi = 0; yi < 4; yi++) {
                __m512i ninth = _mm512_setzero_si512();
                ninth = usl_avx512_div9_epu32(total[yi]);
                _mm256_storeu_si256((__m256i *)(&dst[(4 * yo + yi) * W + 16 * xo]), _mm512_cvtepi32_epi16(ninth));
            }
        }
    }
    for (int64_t yi = 0; yi < H % 4; yi++) {
        for (int64_t xo = 0; xo < W / 16; xo++) {
            for (int64_t xi = 0; xi < 16; xi++) {
                uint32_t total = 0u;
                for (int64_t dy = 0; dy < 3; dy++) {
                    for (int64_t dx = 0; dx < 3; dx++) {
                        total += (uint32_t)src[(yi + H / 4 * 4 + dy) * (W + 2) + (16 * xo + xi + dx)];
                    }
                }
                dst[(yi + H / 4 * 4) * W + (16 * xo + xi)] = (uint16_t)(total / 9u);
            }
        }
    }
    for (int64_t y = 0; y < H; y++) {
        for (int64_t xi = 0; xi < W % 16; xi++) {
            uint32_t total = 0u;
            for (int64_t dy = 0; dy < 3; dy++) {
                for (int64_t dx = 0; dx < 3; dx++) {
                    total += (uint32_t)src[(y + dy) * (W + 2) + (xi + W / 16 * 16 + dx)];
                }
            }
            dst[y * W + (xi + W / 16 * 16)] = (uint16_t)(total / 9u);
        }
    }
}
