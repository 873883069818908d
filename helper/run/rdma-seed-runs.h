/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEED_RUNS_H
#define RDMA_SEED_RUNS_H

#include "rdma-fabric-options.h"
#include "rdma-seed-statistics.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Number of seeds of an RdmaSeedRuns, number of runs at a time, and where the results go.
 */
struct RdmaSeedSetting
{
    static constexpr uint32_t MOST_SEEDS = 10'000; //!< largest number of seeds
    static constexpr uint32_t MOST_JOBS = 1024;    //!< largest number of runs at a time
    /// Largest seed: ns-3's generator (MRG32k3a) takes seeds below its second modulus.
    static constexpr uint32_t LAST_SEED = 4'294'944'442;

    uint32_t seeds{1};    //!< number of seeds
    uint32_t jobs{1};     //!< number of runs at a time
    std::string out;      //!< folder for results; empty: no files
    bool progress{false}; //!< show progress

    /**
     * \param seeds number of seeds as text
     * \param jobs number of runs at a time as text
     * \param first the first seed
     * \return the setting, without folder and progress
     * \throws std::invalid_argument that names the option seeds or jobs and the accepted range
     */
    static RdmaSeedSetting Parse(const std::string& seeds, const std::string& jobs, uint32_t first);
};

/**
 * \ingroup rdma
 * Runs of equal options with consecutive seeds, and their statistics: `rdma-fabric --seeds=N`.
 *
 * Each run is an RdmaFabricRun in a separate process, so the results do not depend on other runs.
 * Results of seed K, and files that options such as monitor name, go to the folder seed-K of the
 * setting's folder. The statistics go to seeds.csv.
 */
class RdmaSeedRuns
{
  public:
    /**
     * \param options options of the runs; the option seed is the first seed
     * \param setting number of seeds, and where the results go
     * \throws std::invalid_argument for an option that several runs cannot share
     */
    RdmaSeedRuns(const RdmaFabricOptions& options, const RdmaSeedSetting& setting);

    /**
     * Performs the runs. Prints what instruments report, runs with flows that did not finish, and
     * the statistics of all numbers of summary.json that describe the network
     * (RdmaResultColumnInfo::isAveraged).
     *
     * \param os output stream for reports and statistics
     * \param log output stream for the progress
     * \return 0 if all counted flows of all runs finished, otherwise 1; 128 plus the number of the
     *         signal if a SIGINT or SIGTERM came: there are no statistics then, and the runs at
     * work are cut \throws std::runtime_error with seed and message, if a run fails
     */
    int Run(std::ostream& os, std::ostream& log) const;

  private:
    std::string GetFolder(uint32_t seed) const;
    RdmaFabricOptions MakeOptions(uint32_t seed) const;
    int RunSeed(uint32_t seed, std::ostream& reply) const;

    RdmaFabricOptions m_options; //!< options of the runs
    RdmaSeedSetting m_setting;   //!< number of seeds, and where the results go
};

} // namespace ns3

#endif /* RDMA_SEED_RUNS_H */
