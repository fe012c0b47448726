// SPDX-License-Identifier: MIT
// Planes that cut things off, where CLIPPED is defined. What stays has no negative distance from
// any of them. Planes are those of the space that the including shader counts places in.

#if defined(CLIPPED)
uniform int clip_count;
uniform vec4 clip_planes[8];

bool is_clipped(vec4 place) {
    for (int i = 0; i < clip_count; ++i)
        if (dot(clip_planes[i], place) < 0.0) return true;
    return false;
}

/// The part of a ray that stays, and the plane at its begin; -1: none.
struct KeptRay {
    float begin, end;
    int plane;
};

KeptRay kept_ray(vec3 from, vec3 along) {
    KeptRay kept = KeptRay(-1e30, 1e30, -1);
    for (int i = 0; i < clip_count; ++i) {
        float height = dot(clip_planes[i], vec4(from, 1.0));
        float climb = dot(clip_planes[i].xyz, along);
        if (climb > 0.0 && -height / climb > kept.begin) {
            kept.begin = -height / climb;
            kept.plane = i;
        } else if (climb < 0.0) kept.end = min(kept.end, -height / climb);
        else if (climb == 0.0 && height < 0.0) kept.end = -1e30;
    }
    return kept;
}
#endif
